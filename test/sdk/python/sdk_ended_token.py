"""Reads from a server whose tokens end after a second or two, until the published Python SDK has had three of them.

Usage: sdk_ended_token.py http://127.0.0.1:PORT KEY_ID KEY_SECRET    Prints "all ok", or exits with 1 at the first call that fails.
"""

import sys
import time

from conductor.client.configuration.configuration import Configuration
from conductor.client.configuration.settings.authentication_settings import AuthenticationSettings
from conductor.client.orkes_clients import OrkesClients

TIME_LIMIT_SECONDS = 60

server, key_id, key_secret = sys.argv[1:4]
configuration = Configuration(base_url=server, authentication_settings=AuthenticationSettings(key_id=key_id, key_secret=key_secret))
metadata = OrkesClients(configuration).get_metadata_client()

tokens = set()
end = time.monotonic() + TIME_LIMIT_SECONDS
while len(tokens) < 3:
    assert time.monotonic() < end, f"{len(tokens)} tokens in {TIME_LIMIT_SECONDS} s"
    assert metadata.get_all_workflow_defs() is not None
    tokens.add(configuration.AUTH_TOKEN)
print("all ok")
