"""Runs against a store with one Claude Code session, laid out by src/cli/python-client.test.ts."""

import json
import os
import unittest

from sessionctl import Sessionctl, SessionctlError

COMMAND = json.loads(os.environ["SESSIONCTL_TEST_COMMAND"])


class Client(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.ctl = Sessionctl(COMMAND)
        cls.session = cls.ctl.list(agent="claude", scan=False).rows[-1]

    def test_lists_sessions_as_typed_rows(self) -> None:
        found = self.ctl.list("parse_amount", scan=False, limit=5)
        self.assertGreaterEqual(found.total, 1)
        self.assertEqual(self.session.agent, "claude")
        self.assertEqual(self.session.raw["id"], self.session.id)
        self.assertGreater(self.session.counts["tool_call"], 0)
        self.assertEqual(self.ctl.list("--no-such-thing", scan=False).total, 0)

    def test_reads_events_one_by_one_and_all(self) -> None:
        events = self.ctl.events(self.session.id)
        # other tests may have added to the session
        self.assertGreaterEqual(len(events), self.session.events)
        self.assertEqual([event.seq for event in events], list(range(len(events))))
        self.assertEqual(self.ctl.event(self.session.id, 3).checksum, events[3].checksum)
        self.assertGreater(self.ctl.show(self.session.id)["total"], 3)

    def test_compiles_within_a_budget(self) -> None:
        page = self.ctl.compile(self.session.id, "codex", budget=6000)
        self.assertLessEqual(page.tokens, 6000)
        self.assertIn("parse_amount", page.text)

    def test_forks_and_marks_once_for_an_operation(self) -> None:
        fork = self.ctl.fork(self.session.id, 9, reason="--the other way", operation="py-fork")
        again = self.ctl.fork(self.session.id, 9, reason="--the other way", operation="py-fork")
        self.assertEqual((fork.session.id, again.replayed), (again.session.id, True))
        self.assertEqual((fork.from_seq, fork.session.parent), (9, self.session.id))
        mark = self.ctl.checkpoint(fork.session.id, message="ünïcode ✓")
        self.assertEqual(self.ctl.event(fork.session.id, mark.seq).payload["label"], "ünïcode ✓")
        self.assertEqual(self.ctl.receipts(self.session.id)["rows"][0]["action"], "fork")

    def test_hands_over_after_a_plan(self) -> None:
        cwd = os.environ["HOME"]
        self.assertTrue(self.ctl.plan_handoff(self.session.id, "codex", cwd=cwd)["ready"])
        done = self.ctl.handoff(self.session.id, "codex", note="Go on", cwd=cwd, operation="py-handoff")
        self.assertIn("codex resume", done.command["text"])
        self.assertTrue(os.path.exists(done.files[0]))
        self.assertEqual(self.ctl.verify(done.receipt)["kind"], "receipt")

    def test_says_what_is_wrong_by_code(self) -> None:
        with self.assertRaises(SessionctlError) as unknown:
            self.ctl.show("nobody")
        self.assertEqual((unknown.exception.code, unknown.exception.exit_code), ("not_found", 1))
        with self.assertRaises(SessionctlError) as out_of_range:
            self.ctl.fork(self.session.id, 99999)
        self.assertEqual(out_of_range.exception.code, "invalid_request")
        self.assertEqual(out_of_range.exception.details["seq"], 99999)
        with self.assertRaises(SessionctlError) as usage:
            self.ctl.run("no-such-command")
        self.assertEqual((usage.exception.code, usage.exception.exit_code), ("invalid_request", 2))

    def test_says_when_there_is_no_command_and_no_store(self) -> None:
        with self.assertRaises(SessionctlError) as missing:
            Sessionctl(["/nowhere/sessionctl"]).status()
        self.assertEqual(missing.exception.code, "target_unavailable")
        with self.assertRaises(SessionctlError) as bare:
            Sessionctl(COMMAND, home=os.path.join(os.environ["HOME"], "none")).list(scan=False)
        self.assertEqual(bare.exception.code, "store_uninitialised")


if __name__ == "__main__":
    unittest.main()
