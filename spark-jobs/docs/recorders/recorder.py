"""Records what the clients of a database see, as JSON Lines for `polygraph check`. Python 3.8 or newer, no libraries.

    with Recorder("run.jsonl") as recorder:
        session = recorder.session()                # one for each client thread
        with session.transaction() as tx:           # before BEGIN is sent
            value = database.get("x")
            tx.read("x", value)                     # None: there is no row
            database.put("x", value + 1)
            tx.write("x", value + 1)
            database.commit()
            tx.commit()                             # after the database has confirmed

Call `abort` if the database has rolled back. A transaction that ends without `commit` or `abort`, also by an exception, is recorded as
indeterminate: the client does not know whether the database committed it.
"""

import json
import threading
import time


class Recorder:
    """A history file. Any number of threads may record at a time; each transaction is one line, written when it ends."""

    def __init__(self, path, **metadata):
        self._lock = threading.Lock()
        self._sessions = 0
        self._open = {}
        self._file = open(path, "w", encoding="utf-8")
        self._line({"format": "history", "version": 1, "clock": "ns", **metadata})

    def session(self):
        """A new session. A session is used by one thread at a time."""
        return Session(self)

    def _next_session(self):
        with self._lock:
            self._sessions += 1
            return self._sessions - 1

    def _line(self, content):
        line = json.dumps(content, separators=(",", ":"))
        with self._lock:
            self._file.write(line + "\n")
            self._file.flush()

    def close(self):
        """Records the transactions that have not ended as indeterminate, and closes the file."""
        with self._lock:
            unended = list(self._open.values())
        for transaction in unended:
            transaction._end_once("indeterminate")
        self._file.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Session:
    """Transactions that one client runs one after another."""

    def __init__(self, recorder):
        self._recorder = recorder
        self._renew()

    def _renew(self):
        # The database may still execute a transaction of unknown outcome, so what follows it belongs to a new session.
        self._number = self._recorder._next_session()
        self._index = 0

    def transaction(self):
        """Begins a transaction. Call it before anything is sent to the database."""
        return Transaction(self)

    def _end(self, start, status, operations):
        line = {"session": self._number, "index": self._index, "start": start}
        if status != "indeterminate":
            line["end"] = time.monotonic_ns()
        line["status"] = status
        line["ops"] = operations
        self._recorder._line(line)
        self._index += 1
        if status == "indeterminate":
            self._renew()


class Transaction:
    """The operations of one transaction, in the order in which the client executed them."""

    def __init__(self, session):
        self._session = session
        self._operations = []
        self._ended = False
        self._ending = threading.Lock()
        self._start = time.monotonic_ns()
        recorder = session._recorder
        with recorder._lock:
            recorder._open[id(self)] = self

    def read(self, key, value, *more):
        """Records the value that the database returned: an integer, a string, None, or a list for keys that are appended to.
        If the statement returned several rows with this key, more has the values of the others."""
        operation = {"op": "r", "key": key, "value": value}
        self._operations.append({**operation, "more": list(more)} if more else operation)

    def write(self, key, value):
        self._operations.append({"op": "w", "key": key, "value": value})

    def insert(self, key, value):
        """A row that the database has inserted. An insert that fails is not recorded."""
        self._operations.append({"op": "i", "key": key, "value": value})

    def delete(self, key):
        """A row that the database has deleted. A delete that finds no row is a read of None."""
        self._operations.append({"op": "d", "key": key})

    def read_between(self, lo, hi, rows):
        """A query of the rows whose values are from lo to hi, with all rows that it returned: pairs of a key and a value, or a dict."""
        pairs = rows.items() if isinstance(rows, dict) else rows
        self._operations.append({"op": "pr", "lo": lo, "hi": hi, "rows": [list(row) for row in pairs]})

    def write_between(self, lo, hi, value, keys):
        """An update that gave a value to the rows whose values were from lo to hi, with the keys of all rows that it changed."""
        self._operations.append({"op": "pw", "lo": lo, "hi": hi, "value": value, "keys": list(keys)})

    def delete_between(self, lo, hi, keys):
        """A delete of the rows whose values were from lo to hi, with the keys of all rows that it deleted."""
        self._operations.append({"op": "pd", "lo": lo, "hi": hi, "keys": list(keys)})

    def append(self, key, value):
        self._operations.append({"op": "append", "key": key, "value": value})

    def commit(self):
        """The database has confirmed the commit."""
        self._end("committed")

    def abort(self):
        """The database has confirmed that nothing of the transaction remains."""
        self._end("aborted")

    def unknown(self):
        """The client does not know the outcome: an error during commit, or a lost connection."""
        self._end("indeterminate")

    def _end(self, status):
        if not self._end_once(status):
            raise ValueError("the transaction has ended already")

    def _end_once(self, status):
        with self._ending:
            if self._ended:
                return False
            self._ended = True
            recorder = self._session._recorder
            with recorder._lock:
                del recorder._open[id(self)]
            self._session._end(self._start, status, self._operations)
            return True

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if not self._ended:
            self.unknown()
