"""A thin client of sessionctl: runs its command line and reads the JSON that it prints. Standard library only.

    from sessionctl import Sessionctl

    ctl = Sessionctl()
    for session in ctl.list(limit=5).rows:
        print(session.id, session.title)

Every call is one run of the command line. What it cannot do is raised as SessionctlError, with the code that docs/errors.md lists.
Field names are those of docs/cli.md; fields that are not named here are in ``raw``.
"""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass, field, fields
from typing import Any, Mapping, Optional, Sequence, Type, TypeVar

__all__ = [
    "Checkpoint",
    "Compiled",
    "Event",
    "Fork",
    "Handoff",
    "Session",
    "SessionList",
    "Sessionctl",
    "SessionctlError",
]

Json = Mapping[str, Any]
T = TypeVar("T")


class SessionctlError(Exception):
    """Something could not be done. ``details`` is JSON for programs, ``exit_code`` that of the command line."""

    def __init__(self, code: str, message: str, details: Optional[Json] = None, exit_code: int = 1) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details: Json = details or {}
        self.exit_code = exit_code

    @property
    def candidates(self) -> list[Json]:
        """What an ambiguous name can mean (code ``selection_required``)."""
        return list(self.details.get("candidates", []))


@dataclass(frozen=True)
class Session:
    """A session as lists show it. Times are seconds since the epoch."""

    id: str
    agent: str
    native_id: str
    title: Optional[str]
    cwd: Optional[str]
    source: Optional[str]
    last_activity: Optional[float]
    events: int
    parent: Optional[str]
    parent_kind: Optional[str]
    counts: Json
    raw: Json = field(repr=False)


@dataclass(frozen=True)
class SessionList:
    """Sessions, and how many there are in all."""

    total: int
    rows: list[Session]


@dataclass(frozen=True)
class Event:
    """One event of a session's log."""

    seq: int
    ts: Optional[float]
    agent: str
    actor: str
    type: str
    payload: Json
    parent_seq: Optional[int]
    checksum: str
    raw: Json = field(repr=False)


@dataclass(frozen=True)
class Compiled:
    """A page made for the next agent, within a budget."""

    target: str
    budget: int
    tokens: int
    sha256: str
    text: str
    items: list[Json]
    dropped: list[Json]
    raw: Json = field(repr=False)


@dataclass(frozen=True)
class Handoff:
    """What a handoff did; ``command["text"]`` is what goes on."""

    operation_id: str
    replayed: bool
    new_session: str
    native_id: str
    files: list[str]
    command: Json
    receipt: str
    raw: Json = field(repr=False)


@dataclass(frozen=True)
class Fork:
    """A session that goes on from everything up to an event of another one."""

    session: Session
    from_session: str
    from_seq: int
    receipt: str
    replayed: bool


@dataclass(frozen=True)
class Checkpoint:
    """A marked point of a session."""

    session: str
    seq: int
    checksum: str
    replayed: bool


class Sessionctl:
    """The command line of one store.

    command: how it is started, e.g. ``["/path/to/checkout/bin/sessionctl"]``
    home: its folder; default ``$SESSIONCTL_HOME``, else ``~/.sessionctl``
    env: variables to add or to change; ``SESSIONCTL_PASSPHRASE`` opens a store that is locked by one
    timeout: seconds after which a call is given up (``subprocess.TimeoutExpired``)
    """

    def __init__(
        self,
        command: Sequence[str] = ("sessionctl",),
        home: Optional[str] = None,
        env: Optional[Mapping[str, str]] = None,
        timeout: Optional[float] = None,
    ) -> None:
        self._command = list(command)
        self._home = home
        self._env = None if env is None else {**os.environ, **env}
        self._timeout = timeout

    def run(self, *arguments: str, words: Sequence[str] = ()) -> Any:
        """Runs any command and gives its value. Arguments are never seen by a shell; ``words`` are no options, whatever they say."""
        options = ["--json"] + ([] if self._home is None else ["--home", self._home])
        if words:
            options += ["--", *words]
        try:
            done = subprocess.run(
                [*self._command, *arguments, *options],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=self._env,
                timeout=self._timeout,
                check=False,
            )
        except OSError as error:
            raise SessionctlError("target_unavailable", f"{self._command[0]} cannot be started: {error}") from error
        answer = _answer(done.stdout)
        if answer is not None and answer.get("ok") is True:
            return answer.get("value")
        raise _error(answer or _answer(done.stderr), done.returncode, done.stderr)

    def status(self) -> Json:
        """What is here: sessions of this folder, agents, store."""
        return self.run("status")

    def init_key_file(self) -> Json:
        """Makes the store, with its key in a file of mode 0600. ``recovery_key`` is given this once."""
        return self.run("init", "--key-file")

    def sources(self) -> list[Json]:
        """Which agents may be read."""
        return self.run("sources", "list")

    def enable(self, *agents: str) -> list[Json]:
        """Allows agents to be read."""
        return self.run("sources", "enable", *agents)

    def import_sessions(self, agent: Optional[str] = None, path: Optional[str] = None) -> Json:
        """Reads what is new."""
        return self.run("import", *_options(agent=agent, path=path))

    def list(
        self,
        *words: str,
        agent: Optional[str] = None,
        cwd: Optional[str] = None,
        after: Optional[str] = None,
        before: Optional[str] = None,
        sort: Optional[str] = None,
        limit: Optional[int] = None,
        scan: bool = True,
    ) -> SessionList:
        """Sessions, newest first; ``after`` and ``before`` are ISO dates. ``scan=False`` does not look for new ones first."""
        options = _options(agent=agent, cwd=cwd, after=after, before=before, sort=sort, limit=limit)
        flags = [] if scan else ["--no-scan"]
        # behind "--" a word that begins with a dash is a word
        value = self.run("list", *options, *flags, words=words)
        return SessionList(value["total"], [_of(Session, row) for row in value["rows"]])

    def show(self, session: str) -> Json:
        """The conversation: ``{"session", "total", "rows"}``."""
        return self.run("show", session)

    def events(self, session: str) -> list[Event]:
        """The whole log."""
        return [_of(Event, event) for event in self.run("show", session, "--events")["events"]]

    def event(self, session: str, seq: int) -> Event:
        """One event."""
        return _of(Event, self.run("show", session, "--seq", str(seq)))

    def compile(self, session: str, target: str, budget: Optional[int] = None) -> Compiled:
        """What an agent needs to go on, within so many tokens."""
        return _of(Compiled, self.run("compile", session, "--for", target, *_options(budget=budget)))

    def plan_handoff(self, session: str, to: str, cwd: Optional[str] = None, mode: Optional[str] = None) -> Json:
        """What a handoff would keep, convert and lose. No effect."""
        return self.run("handoff", session, "--to", to, "--dry-run", *_options(cwd=cwd, mode=mode))

    def handoff(
        self,
        session: str,
        to: str,
        note: Optional[str] = None,
        mode: Optional[str] = None,
        turns: Optional[int] = None,
        cwd: Optional[str] = None,
        operation: Optional[str] = None,
    ) -> Handoff:
        """Writes a new session for another agent. The same ``operation`` never writes a second one."""
        options = _options(note=note, mode=mode, turns=turns, cwd=cwd, operation=operation)
        return _of(Handoff, self.run("handoff", session, "--to", to, *options))

    def fork(
        self, session: str, at: int, reason: Optional[str] = None, operation: Optional[str] = None
    ) -> Fork:
        """Begins a new session at an event of another one."""
        value = self.run("fork", session, "--at", str(at), *_options(reason=reason, operation=operation))
        made = _of(Session, value["session"])
        return Fork(made, value["from_session"], value["from_seq"], value["receipt"], value["replayed"])

    def checkpoint(
        self, session: str, message: Optional[str] = None, operation: Optional[str] = None
    ) -> Checkpoint:
        """Marks the end of a session as it is now."""
        value = self.run("checkpoint", session, *_options(message=message, operation=operation))
        return Checkpoint(value["session"], value["seq"], value["checksum"], value["replayed"])

    def receipts(self, session: Optional[str] = None, limit: Optional[int] = None) -> Json:
        """What was done, newest first: ``{"total", "rows"}``."""
        return self.run("receipts", *([] if session is None else [session]), *_options(limit=limit))

    def verify(self, what: Optional[str] = None) -> Json:
        """Checks a session, a receipt, a bundle, or the whole store. What was changed is an error."""
        return self.run("verify", *([] if what is None else [what]))


def _options(**values: Any) -> list[str]:
    """``limit=3`` as ``--limit=3``; what is None is left out. One word, so that no value is taken for an option."""
    return [f"--{name.replace('_', '-')}={value}" for name, value in values.items() if value is not None]


def _of(kind: Type[T], value: Json) -> T:
    known = {one.name: value.get(one.name) for one in fields(kind) if one.name != "raw"}  # type: ignore[arg-type]
    return kind(**known, raw=value)


def _answer(output: bytes) -> Optional[Json]:
    """The last line that is an answer; remarks may stand before it."""
    for line in reversed(output.decode("utf-8", "replace").splitlines()):
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict) and "ok" in value:
            return value
    return None


def _error(answer: Optional[Json], exit_code: int, stderr: bytes) -> SessionctlError:
    error = (answer or {}).get("error")
    if isinstance(error, dict):
        return SessionctlError(error["code"], error["message"], error.get("details"), exit_code)
    said = stderr.decode("utf-8", "replace").strip()[-500:]
    return SessionctlError("internal", f"sessionctl ended with {exit_code} and gave no answer. {said}", None, exit_code)
