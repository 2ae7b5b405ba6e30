import pytest

from callback import verified

WRONG = ["plain", "RS256", "HS256-expired", "HS256-wrong-key", "HS256-altered"]


def test_a_launch_is_taken_and_none_with_a_wrong_signature(lectern):
    key = lectern.run("emulator", "key", "--tool", "essay").stdout.strip()
    ours = {"key": key, "issuer": lectern.url, "tool": "essay"}
    claims = verified(lectern.launch_token(member="member-111", sign="HS256"), **ours)
    assert claims["user"]["member"] == "member-111"
    for sign in WRONG:
        with pytest.raises(ValueError):
            verified(lectern.launch_token(role="student", sign=sign), **ours)
