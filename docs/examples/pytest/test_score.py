import json
import urllib.request

import pytest

# An error in the emulator's report fails the test.
pytestmark = pytest.mark.lectern(report="error")


def test_a_score_is_recorded(lectern):
    claims = lectern.launch(role="student")
    request = urllib.request.Request(
        claims["grade"]["submit"],
        data=b'{"score": 0.85}',
        headers={
            "Authorization": "Bearer " + claims["api"]["token"],
            "Content-Type": "application/json",
        },
    )
    with urllib.request.urlopen(request) as answer:
        assert json.load(answer)["status"] == "success"
