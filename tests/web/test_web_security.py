"""The guard of the web server: strangers, other sites and bodies without end are turned away."""

import pytest
from fastapi import FastAPI, Request
from fastapi.testclient import TestClient

from fogspiel.web.security import MAX_BYTES, RequestGuard

HOSTS = frozenset({"127.0.0.1:8000", "localhost:8000"})


def client(token=None):
    app = FastAPI()

    @app.get("/page")
    def page() -> str:
        return "hello"

    @app.get("/api/number")
    def number() -> int:
        return 7

    @app.post("/body")
    async def body(request: Request) -> int:
        return len(await request.body())

    return TestClient(RequestGuard(app, HOSTS, token), base_url="http://127.0.0.1:8000")


def test_the_own_address_is_served_with_a_strict_policy():
    answer = client().get("/page")
    assert answer.status_code == 200 and answer.json() == "hello"
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff" and "server" not in answer.headers


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:9000", "", "localhost:8000.evil.example"])
def test_a_foreign_host_is_refused(host):
    assert client().get("/page", headers={"host": host}).status_code == 400


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:9000", "file://", "http://["])
def test_a_foreign_origin_is_refused(origin):
    assert client().post("/body", content=b"x", headers={"origin": origin}).status_code == 403
    assert client().get("/page", headers={"origin": origin}).status_code == 403


def test_the_own_origin_may_write_and_a_foreign_form_may_not():
    assert client().post("/body", content=b"x", headers={"origin": "http://localhost:8000"}).json() == 1
    assert client().post("/body", content=b"x", headers={"sec-fetch-site": "cross-site"}).status_code == 403


def test_other_sites_may_link_to_pages_and_nothing_else():
    foreign = {"sec-fetch-site": "cross-site"}
    assert client().get("/page", headers=foreign).status_code == 403
    assert client().get("/page", headers={**foreign, "sec-fetch-mode": "no-cors"}).status_code == 403
    assert client().get("/page", headers={**foreign, "sec-fetch-mode": "navigate"}).status_code == 200
    assert client().get("/api/runs", headers={**foreign, "sec-fetch-mode": "navigate"}).status_code == 403
    assert client().get("/page", headers={"sec-fetch-site": "same-site"}).status_code == 403
    assert client().get("/page", headers={"sec-fetch-site": "same-origin"}).status_code == 200


def test_large_bodies_are_refused_however_they_are_sent():
    assert client().post("/body", content=b"x" * MAX_BYTES).json() == MAX_BYTES
    assert client().post("/body", content=b"x" * (MAX_BYTES + 1)).status_code == 413
    assert client().post("/body", content=(b"x" * 1000 for _ in range(MAX_BYTES // 1000))).json() == MAX_BYTES
    assert client().post("/body", content=(b"x" * 1000 for _ in range(100))).status_code == 413
    assert client().post("/body", content=b"x", headers={"content-length": "many"}).status_code == 413
    assert client().post("/body", content=b"x", headers={"content-length": b"\xb2"}).status_code == 413


def test_a_token_is_shown_once_and_then_kept_in_a_cookie():
    stranger = client("secret")
    assert stranger.get("/page").status_code == 401
    assert stranger.get("/page?token=wrong").status_code == 401
    assert stranger.get("/page", headers={"authorization": "Bearer secret"}).status_code == 200
    first = stranger.get("/page?token=secret", follow_redirects=False)
    assert (
        first.status_code == 303 and first.headers["location"] == "/page" and "HttpOnly" in first.headers["set-cookie"]
    )
    assert stranger.get("/page").status_code == 200


@pytest.mark.parametrize(
    "stolen", ["secre", "secrets", "Secret", " secret", "secret\0", "", "ſecret", "'secret'", "0", "null"]
)
def test_a_guess_of_the_token_opens_nothing_and_no_answer_holds_it(stolen):
    """As a parameter, a cookie, a header, a password or the token of another server's cookie."""
    sent = stolen.encode()
    headers = (
        {"cookie": b"fogspiel=" + sent},
        {"cookie": b"other=secret; fogspiel=" + sent + b"; xfogspiel=secret"},
        {"authorization": b"Bearer " + sent},
        {"authorization": b"Basic OnNlY3JldA=="},
        {"x-token": b"secret", "referer": b"http://127.0.0.1:8000/page?token=secret"},
    )
    if stolen.strip() != "secret":  # blanks around a cookie are none of its value
        for one in headers:
            answer = client("secret").get("/page", headers=one)
            assert answer.status_code == 401 and "secret" not in answer.text + str(answer.headers)
    for name in ("token", "Token", "token[]"):
        if (name, stolen) != ("token", "secret"):
            assert client("secret").get("/page", params={name: stolen}).status_code == 401
    known = client("secret")
    entered = known.get("/page?token=secret")
    assert "secret" not in entered.text + str(entered.headers) and entered.headers["referrer-policy"] == "no-referrer"
    assert "secret" not in known.get("/nowhere").text


@pytest.mark.parametrize(
    ("asked", "left"),
    [
        ("/page?token=secret&a=1&b=&a=%26", "/page?a=1&b=&a=%26"),
        ("/?token=secret&token=wrong", "/"),
        ("//evil.example/x?token=secret", "/evil.example/x"),
        ("/a%0d%0aset-cookie:x?token=secret", "/a%0D%0Aset-cookie%3Ax"),
    ],
)
def test_the_token_leaves_the_address(asked, left):
    first = client("secret").get(f"http://127.0.0.1:8000{asked}", follow_redirects=False)
    assert first.status_code == 303 and first.headers["location"] == left


def test_programs_may_give_the_token_in_the_address_and_are_answered_at_once():
    answer = client("secret").get("/api/number?token=secret", follow_redirects=False)
    assert answer.status_code == 200 and answer.json() == 7
    assert client("secret").post("/body?token=secret", content=b"x").json() == 1


def test_a_stranger_is_told_in_a_page_what_to_do_and_a_program_in_json():
    page, program = client("secret").get("/page"), client("secret").get("/api/number")
    assert page.status_code == program.status_code == 401
    assert page.headers["content-type"].startswith("text/html") and "Open the address with the token" in page.text
    assert program.json() == {"error": "open the address with the token that `fogspiel web` printed"}


@pytest.mark.parametrize("other", ["a/b=1", "a@b=1", "a[b]=2", "{}=1", 'q="open', "=", ";;", "fogspiel=old"])
def test_cookies_of_other_servers_do_not_matter(other):
    headers = {"cookie": f"{other}; fogspiel=secret"}
    assert client("secret").get("/page", headers=headers).status_code == 200
    assert client("secret").get("/page", headers={"cookie": other}).status_code == 401
