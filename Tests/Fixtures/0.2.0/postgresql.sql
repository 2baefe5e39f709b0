SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.held_accounts (
    account bytea NOT NULL,
    bundle_id text NOT NULL,
    original_transaction_id text NOT NULL,
    environment text NOT NULL,
    all_as_of bigint
);
CREATE TABLE public.held_subscriptions (
    bundle_id text NOT NULL,
    environment text NOT NULL,
    original_transaction_id text NOT NULL,
    body bytea NOT NULL
);
CREATE TABLE public.kept_answers (
    request_id text NOT NULL,
    bundle_id text NOT NULL,
    environment text NOT NULL,
    original_transaction_id text NOT NULL,
    answered_at bigint NOT NULL,
    body bytea NOT NULL
);
CREATE TABLE public.ledger_chains (
    writer text NOT NULL,
    started_at bigint NOT NULL,
    previous_writer text,
    previous_number bigint,
    previous_hash bytea,
    signature bytea NOT NULL
);
CREATE TABLE public.ledger_checkpoints (
    id bigint NOT NULL,
    chains bigint NOT NULL,
    newest text NOT NULL,
    open text NOT NULL,
    "time" bigint NOT NULL,
    signature bytea NOT NULL
);
CREATE TABLE public.ledger_key_marks (
    name text NOT NULL,
    mark bytea NOT NULL
);
CREATE TABLE public.ledger_losses (
    writer text NOT NULL,
    first_number bigint NOT NULL,
    last_number bigint NOT NULL,
    last_hash bytea NOT NULL,
    "time" bigint NOT NULL,
    signature bytea NOT NULL,
    acknowledged_at bigint,
    acknowledgement bytea
);
CREATE TABLE public.ledger_presentations (
    bundle_id text NOT NULL,
    environment text NOT NULL,
    original_transaction_id text NOT NULL,
    customer bytea NOT NULL,
    last_seen bigint NOT NULL
)
WITH (fillfactor='90');
CREATE TABLE public.ledger_records (
    writer text NOT NULL,
    number bigint NOT NULL,
    "time" bigint NOT NULL,
    client text NOT NULL,
    bundle_id text NOT NULL,
    product_id text NOT NULL,
    offer_id text NOT NULL,
    format text NOT NULL,
    key_id text NOT NULL,
    nonce text NOT NULL,
    "timestamp" bigint NOT NULL,
    reason text NOT NULL,
    evidence text,
    environment text,
    original_transaction_id text,
    account bytea,
    customer bytea NOT NULL,
    hash bytea NOT NULL
);
CREATE TABLE public.ledger_statements (
    writer text NOT NULL,
    kind text NOT NULL,
    number bigint NOT NULL,
    hash bytea NOT NULL,
    "time" bigint NOT NULL,
    signature bytea NOT NULL
);
CREATE TABLE public.ledger_verifications (
    id bigint NOT NULL,
    "time" bigint NOT NULL,
    chains bigint NOT NULL,
    records bigint NOT NULL,
    faults bigint NOT NULL
);
CREATE TABLE public.notifications (
    id text NOT NULL,
    type text NOT NULL,
    subtype text,
    bundle_id text NOT NULL,
    environment text NOT NULL,
    signed_at bigint NOT NULL,
    received_at bigint NOT NULL
);
CREATE TABLE public.offer_counts (
    day bigint NOT NULL,
    bundle_id text NOT NULL,
    product_id text NOT NULL,
    offer_id text NOT NULL,
    environment text NOT NULL,
    call text NOT NULL,
    reason text NOT NULL,
    total bigint NOT NULL
);
CREATE TABLE public.offers_seen (
    bundle_id text NOT NULL,
    product_id text NOT NULL,
    offer_id text NOT NULL
);
CREATE TABLE public.product_sightings (
    bundle_id text NOT NULL,
    country text NOT NULL,
    product_id text NOT NULL,
    body text NOT NULL
);
CREATE TABLE public.redemptions (
    bundle_id text NOT NULL,
    environment text NOT NULL,
    original_transaction_id text NOT NULL,
    transaction_id text NOT NULL,
    product_id text NOT NULL,
    offer_id text NOT NULL,
    redeemed_at bigint,
    price bigint,
    currency text,
    storefront text,
    signed_writer text,
    signed_number bigint
);
CREATE TABLE public.schema_migrations (
    name text NOT NULL
);
CREATE TABLE public.state_generation (
    id bigint NOT NULL,
    generation bigint NOT NULL
);
INSERT INTO public.held_accounts VALUES ('\x179383512039f0501153430556df0707', 'com.example.reader', '2000000000000003', 'Production', NULL);
INSERT INTO public.held_accounts VALUES ('\xdd5d5c36a611f0a8861ab64ef666750f', 'com.example.reader', '2000000000000005', 'Production', NULL);
INSERT INTO public.held_accounts VALUES ('\x393dcf552cd2bb5aea876f80ef25382e', 'com.example.reader', '2000000000000001', 'Production', NULL);
INSERT INTO public.held_accounts VALUES ('\x2e29f845fc1734cc947405500e8a9227', 'com.example.reader', '2000000000000006', 'Production', NULL);
INSERT INTO public.held_accounts VALUES ('\xb3e5c88f8680512a513f97d3480dab6f', 'com.example.reader', '2000000000000013', 'Production', NULL);
INSERT INTO public.held_accounts VALUES ('\xcba8de1e26a1f2be33eb1c3c49a3ede5', 'com.example.reader', '2000000000000013', 'Production', NULL);
INSERT INTO public.held_accounts VALUES ('\x5991bb421a58f9436019ab9e7814f4f3', 'com.example.reader', '2000000000000007', 'Production', NULL);
INSERT INTO public.held_accounts VALUES ('\x5991bb421a58f9436019ab9e7814f4f3', 'com.example.reader', '', 'Production', 1795699379028);
INSERT INTO public.held_accounts VALUES ('\x494fe62d4bbf92ad22e7458e4e0af7b2', 'com.example.reader', '2000000000000010', 'Production', NULL);
INSERT INTO public.held_accounts VALUES ('\x6b8a31f669569a909f85be30f04ff777', 'com.example.reader', '', 'Production', 1795699381846);
INSERT INTO public.held_accounts VALUES ('\x261241b5f28892ee7190a11656225633', 'com.example.reader', '2000000000000012', 'Production', NULL);
INSERT INTO public.held_subscriptions VALUES ('com.example.reader', 'Production', '2000000000000003', '\x010110179383512039f0501153430556df0707000101d8a3b080c3680204018480b4ccd4dfc60305000b70726f2e6d6f6e74686c790601a1d1fb090780c09795e9670880d0c08ffd670e0016000752454e4557414c17000301d8a3b080c368021c050306041d001f00');
INSERT INTO public.held_subscriptions VALUES ('com.example.reader', 'Production', '2000000000000005', '\x010110dd5d5c36a611f0a8861ab64ef666750f000101cea6b080c3680204018580b4ccd4dfc60305000b70726f2e6d6f6e74686c790601a1d1fb090780c0e6c197680880e0dce9aa680e00160008505552434841534517000301cea6b080c368021c050306041d001f00');
INSERT INTO public.held_subscriptions VALUES ('com.example.reader', 'Production', '2000000000000001', '\x010110393dcf552cd2bb5aea876f80ef25382e02fea7b080c3680101b8f5af80c3680204018180b4ccd4dfc60305000b70726f2e6d6f6e74686c790601a1d1fb090780c09795e9670880d0c08ffd670d160008505552434841534517000301b8f5af80c368021c050306041d001f00');
INSERT INTO public.held_subscriptions VALUES ('com.example.reader', 'Production', '2000000000000006', '\x0101102e29f845fc1734cc947405500e8a9227000101e4a8b080c3680204018680b4ccd4dfc60305000b70726f2e6d6f6e74686c790601a1d1fb090780c09795e9670880d0c08ffd670e001002160008505552434841534517000301e4a8b080c368021c050306041d001f00');
INSERT INTO public.held_subscriptions VALUES ('com.example.reader', 'Production', '2000000000000013', '\x010210b3e5c88f8680512a513f97d3480dab6f02d4aab080c36810cba8de1e26a1f2be33eb1c3c49a3ede502c0acb080c3680101e4abb080c3680204018e80b4ccd4dfc60305000b70726f2e6d6f6e74686c790601a1d1fb090780c09795e9670880d0c08ffd6716000752454e4557414c17000301e4abb080c368021c050306041d001f00');
INSERT INTO public.held_subscriptions VALUES ('com.example.reader', 'Production', '2000000000000007', '\x0101105991bb421a58f9436019ab9e7814f4f3000101dcadb080c3680204018780b4ccd4dfc60305000b70726f2e6d6f6e74686c790601a1d1fb09078090f8f2c1670880a0a1edd5670e00160008505552434841534517000101dcadb080c3680204018880b4ccd4dfc603050306040780a0a1edd5670880c09795e9670e0016000752454e4557414c17000101dcadb080c3680204018980b4ccd4dfc603050306040780c09795e9670880d0c08ffd670e00160717000301ccadb080c368021c050306041d001f220423a8adb080c36800');
INSERT INTO public.held_subscriptions VALUES ('com.example.reader', 'Production', '2000000000000010', '\x010110494fe62d4bbf92ad22e7458e4e0af7b2000101eed9b080c3680204018b80b4ccd4dfc60305000b70726f2e6d6f6e74686c790601a1d1fb090780c09795e9670880d0c08ffd670e0016000752454e4557414c17000101d0deb080c3680204018f80b4ccd4dfc603050306040790dbb080c3680890fba6a8d6680e0010041100046f6e636513fc4d140003555344150003555341160008505552434841534517000301d0deb080c368021c050306041d0000');
INSERT INTO public.held_subscriptions VALUES ('com.example.reader', 'Production', '2000000000000012', '\x010110261241b5f28892ee7190a11656225633000101b0e1b080c3680204018c80b4ccd4dfc60305000b70726f2e6d6f6e74686c790601a1d1fb090780c09795e9670880d0c08ffd670e0010041100046f6e636513fc4d140003555344150003555341160008505552434841534517000301b0e1b080c368021c050306041d001f00');
INSERT INTO public.ledger_chains VALUES ('17a29c1f9a92c210', 1795699378257, NULL, NULL, NULL, '\x30440220234c0cfa42bbb05d3bb0ae06d3712a74a85783f5a3e5e781455b6355b817aa59022056c4d3390c8dd00703db67f9c2cb18977ffe370f18acb672e1e283a2ed685cba');
INSERT INTO public.ledger_chains VALUES ('2cf4121b88451213', 1795699381638, '17a29c1f9a92c210', 8, '\x8eb11efcb4c92b14c3b87a4d3ff4bfd36b7eb2b233da9d2132a6321a1afbd4cd', '\x304402203ff044fcc417adc961cb0ae96834f29f0c314c2f8ffe3f2cc53fa25a2e26a203022019f12ad4408f82580b3609a587a3e1c11ced274e60aa278756a9ce805eb62d8e');
INSERT INTO public.ledger_checkpoints VALUES (1, 2, '2cf4121b88451213', '', 1795699383479, '\x304402202cf2e4a07bac97bb5060cd716eecea5dad20b0a09ae16a8d46338eb4c29d88f702207c5fb46cac78e2cd552c50d51455991837f20ea71187abcf2046cc2204c2193f');
INSERT INTO public.ledger_key_marks VALUES ('digest', '\xb29c5acdbfb832eccd28d8baa5d00f92');
INSERT INTO public.ledger_key_marks VALUES ('checkpoint', '\xdd0ac8e8d526cd2255dffaf0ecbcac05edd07a9929b46b1eac0f8e8aadfd5b53');
INSERT INTO public.ledger_presentations VALUES ('com.example.reader', 'Production', '2000000000000013', '\xb3e5c88f8680512a513f97d3480dab6f', 1795699378858);
INSERT INTO public.ledger_presentations VALUES ('com.example.reader', 'Production', '2000000000000013', '\xcba8de1e26a1f2be33eb1c3c49a3ede5', 1795699378976);
INSERT INTO public.ledger_records VALUES ('17a29c1f9a92c210', 1, 1795699378425, 'backend', 'com.example.reader', 'pro.monthly', 'anyone', 'discount', 'TESTKEY001', 'b8f0e0d5-5329-4788-bade-9f41873c5418', 1795699378425, 'lapsed', 'signedTransactions', 'Production', '2000000000000003', '\x179383512039f0501153430556df0707', '\x179383512039f0501153430556df0707', '\x4156b036b42a805c5131c503d01114c568766755b6a4534f94f74bc8200a5c81');
INSERT INTO public.ledger_records VALUES ('17a29c1f9a92c210', 2, 1795699378515, 'backend', 'com.example.reader', 'pro.monthly', 'anyone', 'discount', 'TESTKEY001', 'c1e87c74-f571-49dc-9fc7-d03ea8bfd246', 1795699378515, 'lapsed', 'signedTransactions', 'Production', '2000000000000003', '\x179383512039f0501153430556df0707', '\x179383512039f0501153430556df0707', '\x2a578c2ed7369c989d271dd6a74b92975928d156d0a3b6637233ad0a407cf36e');
INSERT INTO public.ledger_records VALUES ('17a29c1f9a92c210', 3, 1795699378613, 'backend', 'com.example.reader', 'pro.monthly', 'anyone', 'discount', 'TESTKEY001', 'b13d4ba3-aa62-4cb6-a04f-39a9ca685f26', 1795699378613, 'lapsed', 'signedTransactions', 'Production', '2000000000000005', '\xdd5d5c36a611f0a8861ab64ef666750f', '\xdd5d5c36a611f0a8861ab64ef666750f', '\xffe8d4b7fcfb80688c7867a4f3734e7aed1bca1234c522c633521b515c228be8');
INSERT INTO public.ledger_records VALUES ('17a29c1f9a92c210', 4, 1795699378743, 'backend', 'com.example.reader', 'pro.monthly', 'anyone', 'discount', 'TESTKEY001', '6b72365c-fece-4302-80fe-9018f153777b', 1795699378743, 'lapsed', 'signedTransactions', 'Production', '2000000000000006', '\x2e29f845fc1734cc947405500e8a9227', '\x2e29f845fc1734cc947405500e8a9227', '\x1ea01e54e9f797dfc87691b60afd61a552917d7b13dcaebd13637c99bea84ca4');
INSERT INTO public.ledger_records VALUES ('17a29c1f9a92c210', 5, 1795699378809, 'backend', 'com.example.reader', 'pro.monthly', 'anyone', 'discount', 'TESTKEY001', 'bef28822-0459-4061-a025-6f8f0d8d1674', 1795699378809, 'lapsed', 'signedTransactions', 'Production', '2000000000000013', NULL, '\x8c9f9761438c896a0f5a87b20eebb27d', '\x15b18fd12eec46b992d0d65666d725f735c2f5e3536a26da091f4424f6008ff7');
INSERT INTO public.ledger_records VALUES ('17a29c1f9a92c210', 6, 1795699378858, 'backend', 'com.example.reader', 'pro.monthly', 'anyone', 'discount', 'TESTKEY001', 'f3c4705b-bb3b-4bac-9147-de8c218758d3', 1795699378858, 'lapsed', 'signedTransactions', 'Production', '2000000000000013', '\xb3e5c88f8680512a513f97d3480dab6f', '\xb3e5c88f8680512a513f97d3480dab6f', '\x81b8524b64707533039c3dbca9f24ae12211d9894346ec9f1a83f47680237e44');
INSERT INTO public.ledger_records VALUES ('17a29c1f9a92c210', 7, 1795699378976, 'backend', 'com.example.reader', 'pro.monthly', 'anyone', 'discount', 'TESTKEY001', '8d5c48a9-442f-4858-a944-4ef408c8dc19', 1795699378976, 'lapsed', 'signedTransactions', 'Production', '2000000000000013', '\xcba8de1e26a1f2be33eb1c3c49a3ede5', '\xcba8de1e26a1f2be33eb1c3c49a3ede5', '\x5724f8c2420097a6bfc54797e995c2bee6566b9d699005d4a87d30ec2326a83e');
INSERT INTO public.ledger_records VALUES ('17a29c1f9a92c210', 8, 1795699379056, 'backend', 'com.example.reader', 'pro.monthly', 'anyone', 'discount', 'TESTKEY001', '12b0368f-6a9c-482b-baf8-2c3f4629ee43', 1795699379056, 'lapsed', 'transactionId', 'Production', '2000000000000007', '\x5991bb421a58f9436019ab9e7814f4f3', '\x5991bb421a58f9436019ab9e7814f4f3', '\x8eb11efcb4c92b14c3b87a4d3ff4bfd36b7eb2b233da9d2132a6321a1afbd4cd');
INSERT INTO public.ledger_records VALUES ('2cf4121b88451213', 1, 1795699381883, 'backend', 'com.example.reader', 'pro.monthly', 'once', 'discount', 'TESTKEY001', 'e8b12e99-0955-4241-9157-b994f39f008c', 1795699381883, 'lapsed', 'signedTransactions', 'Production', '2000000000000010', '\x494fe62d4bbf92ad22e7458e4e0af7b2', '\x494fe62d4bbf92ad22e7458e4e0af7b2', '\x908714e975d190d81397639f6e6694a32c27b812d71b0f36b92c535f9c43f956');
INSERT INTO public.ledger_records VALUES ('2cf4121b88451213', 2, 1795699382267, 'backend', 'com.example.reader', 'pro.monthly', 'anyone', 'discount', 'TESTKEY001', '7b661965-66ba-4440-931f-0279585b2f36', 1795699382267, 'active_auto_renew_off', 'signedTransactions', 'Production', '2000000000000010', '\x494fe62d4bbf92ad22e7458e4e0af7b2', '\x494fe62d4bbf92ad22e7458e4e0af7b2', '\x8b8f5dc728d7c604018a357f2ab09929579bded10628a8ecacffab37ca2b3add');
INSERT INTO public.ledger_records VALUES ('2cf4121b88451213', 3, 1795699382416, 'backend', 'com.example.reader', 'pro.monthly', 'anyone', 'discount', 'TESTKEY001', 'd44cd023-ff55-4950-80c6-b0f8ba878f66', 1795699382416, 'lapsed', 'signedTransactions', 'Production', '2000000000000012', '\x261241b5f28892ee7190a11656225633', '\x261241b5f28892ee7190a11656225633', '\x682ecbb5f97438e3a43b15c14176af95a1c92814c4d462cf1d571461427c2adb');
INSERT INTO public.ledger_statements VALUES ('17a29c1f9a92c210', 'end', 8, '\x8eb11efcb4c92b14c3b87a4d3ff4bfd36b7eb2b233da9d2132a6321a1afbd4cd', 1795699380121, '\x3045022100ce0540c7cbb34e4bb9711567d3dba55169a8382d53ef226482006909f4aa0c5502200565dd3dcd6f5e000881e5cc4e6984432a54575d38d077e33373aa0cc4519c1f');
INSERT INTO public.ledger_statements VALUES ('2cf4121b88451213', 'end', 3, '\x682ecbb5f97438e3a43b15c14176af95a1c92814c4d462cf1d571461427c2adb', 1795699383479, '\x3045022100a3e09cf658cfd887052888b1954ac306377bc008679b9038fd73612c67c0d358022048b3082a56b4ef409706aa828f82ed44ca1e3720933bddc76a7a3452aea3a9d6');
INSERT INTO public.ledger_verifications VALUES (1, 1795699387166, 2, 11, 0);
INSERT INTO public.notifications VALUES ('84c51f20-afcf-4efc-ae60-2720ba313682', 'SUBSCRIBED', 'RESUBSCRIBE', 'com.example.reader', 'Production', 1795699381960, 1795699381996);
INSERT INTO public.notifications VALUES ('dd8060b7-4a46-4e46-a765-6d21ca59bddc', 'DID_CHANGE_RENEWAL_STATUS', 'AUTO_RENEW_DISABLED', 'com.example.reader', 'Production', 1795699381977, 1795699382123);
INSERT INTO public.offer_counts VALUES (20783, 'com.example.reader', 'pro.monthly', 'anyone', 'Production', 'signatures', 'family_shared', 1);
INSERT INTO public.offer_counts VALUES (20783, 'com.example.reader', 'pro.monthly', 'anyone', 'Production', 'signatures', 'active_auto_renew_off', 1);
INSERT INTO public.offer_counts VALUES (20783, 'com.example.reader', 'pro.monthly', 'anyone', 'Production', 'signatures', 'lapsed', 9);
INSERT INTO public.offer_counts VALUES (20783, 'com.example.reader', 'pro.monthly', 'anyone', 'Production', 'signatures', 'never_subscribed', 1);
INSERT INTO public.offer_counts VALUES (20783, 'com.example.reader', 'pro.monthly', 'once', 'Production', 'signatures', 'lapsed', 1);
INSERT INTO public.offer_counts VALUES (20783, 'com.example.reader', 'pro.monthly', 'once', 'Production', 'signatures', 'redemption_limit', 2);
INSERT INTO public.redemptions VALUES ('com.example.reader', 'Production', '2000000000000010', '2000000000000015', 'pro.monthly', 'once', 1795699381960, 4990, 'USD', 'USA', '2cf4121b88451213', 1);
INSERT INTO public.redemptions VALUES ('com.example.reader', 'Production', '2000000000000012', '2000000000000012', 'pro.monthly', 'once', 1783641600000, 4990, 'USD', 'USA', NULL, NULL);
INSERT INTO public.schema_migrations VALUES ('1');
INSERT INTO public.schema_migrations VALUES ('losses');
INSERT INTO public.state_generation VALUES (1, 0);
ALTER TABLE ONLY public.held_accounts
    ADD CONSTRAINT held_accounts_pkey PRIMARY KEY (account, bundle_id, original_transaction_id, environment);
ALTER TABLE ONLY public.held_subscriptions
    ADD CONSTRAINT held_subscriptions_pkey PRIMARY KEY (original_transaction_id, bundle_id, environment);
ALTER TABLE ONLY public.kept_answers
    ADD CONSTRAINT kept_answers_pkey PRIMARY KEY (request_id, bundle_id, environment, original_transaction_id);
ALTER TABLE ONLY public.ledger_chains
    ADD CONSTRAINT ledger_chains_pkey PRIMARY KEY (writer);
ALTER TABLE ONLY public.ledger_checkpoints
    ADD CONSTRAINT ledger_checkpoints_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.ledger_key_marks
    ADD CONSTRAINT ledger_key_marks_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.ledger_losses
    ADD CONSTRAINT ledger_losses_pkey PRIMARY KEY (writer);
ALTER TABLE ONLY public.ledger_presentations
    ADD CONSTRAINT ledger_presentations_pkey PRIMARY KEY (original_transaction_id, bundle_id, environment, customer);
ALTER TABLE ONLY public.ledger_records
    ADD CONSTRAINT ledger_records_pkey PRIMARY KEY (writer, number);
ALTER TABLE ONLY public.ledger_statements
    ADD CONSTRAINT ledger_statements_pkey PRIMARY KEY (writer, kind);
ALTER TABLE ONLY public.ledger_verifications
    ADD CONSTRAINT ledger_verifications_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.notifications
    ADD CONSTRAINT notifications_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.offer_counts
    ADD CONSTRAINT offer_counts_pkey PRIMARY KEY (day, bundle_id, product_id, offer_id, environment, call, reason);
ALTER TABLE ONLY public.offers_seen
    ADD CONSTRAINT offers_seen_pkey PRIMARY KEY (bundle_id, product_id, offer_id);
ALTER TABLE ONLY public.product_sightings
    ADD CONSTRAINT product_sightings_pkey PRIMARY KEY (bundle_id, country, product_id);
ALTER TABLE ONLY public.redemptions
    ADD CONSTRAINT redemptions_pkey PRIMARY KEY (bundle_id, environment, original_transaction_id, transaction_id);
ALTER TABLE ONLY public.schema_migrations
    ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.state_generation
    ADD CONSTRAINT state_generation_pkey PRIMARY KEY (id);
CREATE INDEX kept_answers_time ON public.kept_answers USING btree (answered_at);
CREATE INDEX ledger_records_customer ON public.ledger_records USING btree (customer, offer_id, "time");
CREATE INDEX ledger_records_nonce ON public.ledger_records USING hash (nonce);
CREATE INDEX ledger_records_time ON public.ledger_records USING btree ("time");
CREATE INDEX notifications_received ON public.notifications USING btree (received_at);
CREATE UNIQUE INDEX redemptions_signed ON public.redemptions USING btree (signed_writer, signed_number);
CREATE INDEX redemptions_time ON public.redemptions USING btree (redeemed_at);
