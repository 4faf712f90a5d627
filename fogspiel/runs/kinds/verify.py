"""Certificate checks: one step, stored only if the user names a store."""

from ...solving.proofs import verified_sentence
from ..kind import AnswerKind
from ..requests import VerifyRequest
from ..store import Run


class VerifyKind(AnswerKind):
    name = method = "verify"
    title = heading = "check of a certificate"
    request = VerifyRequest

    def headline(self, run: Run) -> str:
        return f"check of the certificate {run.request['what']}"

    def summary(self, run: Run) -> list[str]:
        return [] if run.result is None else [verified_sentence(run.result)]


KINDS = (VerifyKind(),)
