"""How a tool in Python verifies the launch token that its callback is sent.

HS256 with the tool's API key needs nothing but the standard library; for RS256, use a library such as
PyJWT with the keys at /.well-known/jwks.json of the issuer.
"""

import base64
import hashlib
import hmac
import json
import time


def _decoded(part):
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def verified(token, key, issuer, tool):
    """Returns the claims of a token that was signed for this tool just now, else raises ValueError."""
    header, payload, signature = token.split(".")
    # The algorithm is ours to choose, never the token's.
    if json.loads(_decoded(header))["alg"] != "HS256":
        raise ValueError("signed by another algorithm")
    expected = hmac.new(key.encode(), f"{header}.{payload}".encode(), hashlib.sha256).digest()
    if not hmac.compare_digest(expected, _decoded(signature)):
        raise ValueError("the signature is wrong")
    claims = json.loads(_decoded(payload))
    if claims["iss"] != issuer or claims["aud"] != tool:
        raise ValueError("meant for another tool")
    if time.time() >= claims["exp"]:
        raise ValueError("expired")
    return claims
