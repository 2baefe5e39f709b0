"""Clients that generators make of the OpenAPI description: how each is generated, compiled and asked."""

import dataclasses
import importlib.resources
import json
import os
import pathlib
import shutil
import subprocess
import sys

import openapi_generator_cli

from offer_signer import REPOSITORY

PROGRAMS = REPOSITORY / "Tests/Interoperability/client_programs"
JAR = importlib.resources.files(openapi_generator_cli) / "openapi-generator.jar"
# The generator's archive has Jackson with its dates, too.
CLASSES = f"classes:{JAR}:/usr/share/java/geronimo-annotation-1.3-spec.jar"


@dataclasses.dataclass(frozen=True)
class Client:
    """A generator of openapi-generator, with its options, and what is done with its client.

    `models` are the files of its models; `program` is put beside the client, built by `build` and run by `run`. The
    commands are run in the client's folder.
    """

    generator: str
    models: str
    library: str | None = None
    options: dict = dataclasses.field(default_factory=dict)
    program: str | None = None
    build: tuple = ()
    run: tuple = ()


CLIENTS = [
    Client("python", "openapi_client/models/*.py", program="client.py", run=(sys.executable, "-B", "client.py")),
    Client("ruby", "lib/openapi_client/models/*.rb", program="client.rb", run=("ruby", "-Ilib", "client.rb")),
    Client("php", "lib/Model/*.php", program="client.php", run=("php", "-d", "display_errors=stderr", "client.php")),
    Client(
        "java",
        "src/main/java/org/openapitools/client/model/*.java",
        library="native",
        # What is nullable needs a library that Debian does not have; nothing is.
        options={"openApiNullable": False},
        program="Client.java",
        build=(
            ("sh", "-c", "find src/main -name '*.java' > sources"),
            ("javac", "-nowarn", "-proc:none", "--release", "11", "-d", "classes", "-cp", CLASSES)
            + ("@sources", "Client.java"),
        ),
        run=("java", "-cp", CLASSES, "Client"),
    ),
    Client(
        "go",
        "model_*.go",
        program="ask/main.go",
        # Its go.mod asks for a newer Go than distributions have.
        build=(("go", "mod", "edit", "-go=1.18"), ("go", "vet", ".", "./ask"), ("go", "build", "-o", "client", "./ask")),
        run=("./client",),
    ),
    Client(
        "typescript-fetch",
        "models/*.ts",
        program="client.ts",
        build=(
            # TypeScript 4.8 finds implicit ones in every check whether an object has a member.
            ("tsc", "--strict", "--noImplicitAny", "false", "--target", "es2018", "--lib", "es2020,dom")
            + ("--module", "commonjs", "--moduleResolution", "node", "--outDir", "built", "client.ts"),
        ),
        run=("node", "built/client.js"),
    ),
    Client(
        "swift6",
        "Sources/OpenAPIClient/Models/*.swift",
        program="client.swift",
        build=(
            ("sh", "-c", "find Sources -name '*.swift' > sources"),
            ("swiftc", "-swift-version", "6", "-parse-as-library", "-o", "client", "@sources", "client.swift"),
        ),
        run=("./client",),
    ),
    # There is no compiler or library for these in Debian and PyPI.
    Client("rust", "src/models/*.rs"),
    Client("kotlin", "src/main/kotlin/org/openapitools/client/models/*.kt"),
    Client("csharp", "src/Org.OpenAPITools/Model/*.cs"),
]

# Files beside the models that are none, in lower case without `_`, and what the generators put around a name.
NO_MODELS = {"init", "index", "mod", "modelinterface", "abstractopenapischema"}


def generate(description, folder):
    """Generates the clients of a description, each in a folder with the generator's name."""
    document = folder / "openapi.json"
    document.write_bytes(description)
    settings = []
    for client in CLIENTS:
        setting = {"generatorName": client.generator, "inputSpec": str(document)}
        setting |= {"outputDir": str(folder / client.generator), "additionalProperties": client.options}
        setting |= {"library": client.library} if client.library else {}
        settings.append(folder / f"{client.generator}.json")
        settings[-1].write_text(json.dumps(setting))
    # Without its optimising compiler, Java is done sooner.
    command(folder, "java", "-XX:TieredStopAtLevel=1", "-jar", JAR, "batch", "--fail-fast", "--threads", "2", *settings)


def command(folder, *arguments, **environment):
    """What a command writes; its errors are shown where it fails."""
    settings = {"cwd": folder, "env": os.environ | environment, "timeout": 300}
    result = subprocess.run([*arguments], capture_output=True, text=True, check=False, **settings)
    assert result.returncode == 0, f"{result.stdout[-5_000:]}\n{result.stderr[-20_000:]}"
    return result.stdout


def models(client, folder):
    """The models of a generated client: the text of each file, by its name in lower case without `_`."""
    found = {}
    for file in pathlib.Path(folder / client.generator).glob(client.models):
        name = file.stem.removeprefix("model_").replace("_", "").lower()
        if name not in NO_MODELS:
            found[name] = file.read_text()
    return found


class BuiltClient:
    """A generated client with its program, built."""

    def __init__(self, client, folder):
        self.client, self.folder = client, folder / client.generator
        self.environment = {
            "PYTHONPATH": ".",
            "GOFLAGS": "-mod=mod",
            "GOPROXY": "off",
            # The module names a newer Go than a system may have, and none is fetched.
            "GOTOOLCHAIN": "local",
            "GOCACHE": str(folder / "go-cache"),
            "GOPATH": str(folder / "go-path"),
        }
        program = self.folder / client.program
        program.parent.mkdir(exist_ok=True)
        shutil.copy(PROGRAMS / program.name, program)
        for step in client.build:
            command(self.folder, *step, **self.environment)

    def ask(self, account, product, offer, *asks):
        """Asks for one offer once for each address, token and file of a verifyReceipt answer.

        Gives what the program read in each answer: of a decision its members, of a problem `status` and `code`.
        """
        arguments = [str(value) for ask in asks for value in ask]
        output = command(self.folder, *self.client.run, account, product, offer, *arguments, **self.environment)
        return [json.loads(line) for line in output.splitlines()]
