// Package recorder records what the clients of a database see, as JSON Lines for "polygraph check".
//
//	rec, err := recorder.Create("run.jsonl")
//	session := rec.Session()       // one for each goroutine
//	tx := session.Begin()          // before BEGIN is sent
//	tx.Read("x", value)            // nil: there is no row
//	tx.Write("x", value+1)
//	err = tx.Commit()              // after the database has confirmed; or tx.Abort(), tx.Unknown()
//
// An error during commit and a lost connection are Unknown: the client does not know whether the database committed.
package recorder

import (
	"encoding/json"
	"errors"
	"os"
	"sync"
	"time"
)

// Recorder is a history file. Any number of goroutines may record at a time; each transaction is one line.
type Recorder struct {
	mu       sync.Mutex
	file     *os.File
	sessions int
	origin   time.Time
	open     map[*Transaction]bool
}

// Session is the transactions that one client runs one after another. One goroutine uses it at a time.
type Session struct {
	recorder *Recorder
	number   int
	index    int
}

// Transaction collects operations in the order in which the client executes them.
type Transaction struct {
	session *Session
	start   int64
	mu      sync.Mutex
	ops     []any
	ended   bool
}

type operation struct {
	Op    string `json:"op"`
	Key   any    `json:"key"`
	Value any    `json:"value"`
	More  []any  `json:"more,omitempty"`
}

type deletion struct {
	Op  string `json:"op"`
	Key any    `json:"key"`
}

type query struct {
	Op   string `json:"op"`
	Lo   int64  `json:"lo"`
	Hi   int64  `json:"hi"`
	Rows []Row  `json:"rows"`
}

type update struct {
	Op    string `json:"op"`
	Lo    int64  `json:"lo"`
	Hi    int64  `json:"hi"`
	Value any    `json:"value,omitempty"`
	Keys  []any  `json:"keys"`
}

type line struct {
	Session int    `json:"session"`
	Index   int    `json:"index"`
	Start   int64  `json:"start"`
	End     *int64 `json:"end,omitempty"`
	Status  string `json:"status"`
	Ops     []any  `json:"ops"`
}

// Create begins a history in a new file.
func Create(path string) (*Recorder, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	r := &Recorder{file: file, origin: time.Now(), open: map[*Transaction]bool{}}
	return r, r.write(map[string]any{"format": "history", "version": 1, "clock": "ns"})
}

// Close records the transactions that have not ended as indeterminate, and closes the file.
func (r *Recorder) Close() error {
	r.mu.Lock()
	var unended []*Transaction
	for t := range r.open {
		unended = append(unended, t)
	}
	r.mu.Unlock()
	var failure error
	for _, t := range unended {
		if err := t.Unknown(); err != nil && err != errEnded {
			failure = err
		}
	}
	if err := r.file.Close(); err != nil {
		return err
	}
	return failure
}

// Session returns a new session.
func (r *Recorder) Session() *Session {
	return &Session{recorder: r, number: r.nextSession()}
}

func (r *Recorder) nextSession() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sessions++
	return r.sessions - 1
}

// now is in nanoseconds of the monotonic clock.
func (r *Recorder) now() int64 { return time.Since(r.origin).Nanoseconds() }

func (r *Recorder) write(content any) error {
	text, err := json.Marshal(content)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	_, err = r.file.Write(append(text, '\n'))
	return err
}

// Begin begins a transaction. Call it before anything is sent to the database.
func (s *Session) Begin() *Transaction {
	t := &Transaction{session: s, start: s.recorder.now(), ops: []any{}}
	s.recorder.mu.Lock()
	defer s.recorder.mu.Unlock()
	s.recorder.open[t] = true
	return t
}

// Read records the value that the database returned: an integer, a string, nil, or a slice for keys that are appended to. If the
// statement returned several rows with this key, more has the values of the others.
func (t *Transaction) Read(key, value any, more ...any) {
	t.record(operation{"r", key, value, more})
}

// Write records a write.
func (t *Transaction) Write(key, value any) { t.add("w", key, value) }

// Insert records a row that the database has inserted. An insert that fails is not recorded.
func (t *Transaction) Insert(key, value any) { t.add("i", key, value) }

// Delete records a row that the database has deleted. A delete that finds no row is a read of nil.
func (t *Transaction) Delete(key any) {
	t.record(deletion{"d", key})
}

// Row is a key and its value.
type Row [2]any

// ReadBetween records a query of the rows whose values are from lo to hi, with all rows that it returned.
func (t *Transaction) ReadBetween(lo, hi int64, rows ...Row) {
	t.record(query{"pr", lo, hi, append([]Row{}, rows...)})
}

// WriteBetween records an update that gave a value to the rows whose values were from lo to hi, with the keys of all rows that
// it changed.
func (t *Transaction) WriteBetween(lo, hi int64, value any, keys ...any) {
	t.record(update{"pw", lo, hi, value, append([]any{}, keys...)})
}

// DeleteBetween records a delete of the rows whose values were from lo to hi, with the keys of all rows that it deleted.
func (t *Transaction) DeleteBetween(lo, hi int64, keys ...any) {
	t.record(update{"pd", lo, hi, nil, append([]any{}, keys...)})
}

// Append records that a value was appended to a list.
func (t *Transaction) Append(key, value any) { t.add("append", key, value) }

func (t *Transaction) add(op string, key, value any) {
	t.record(operation{op, key, value, nil})
}

func (t *Transaction) record(operation any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ops = append(t.ops, operation)
}

var errEnded = errors.New("the transaction has ended already")

// Commit records that the database has confirmed the commit.
func (t *Transaction) Commit() error { return t.end("committed") }

// Abort records that the database has confirmed that nothing of the transaction remains.
func (t *Transaction) Abort() error { return t.end("aborted") }

// Unknown records that the client does not know the outcome.
func (t *Transaction) Unknown() error { return t.end("indeterminate") }

func (t *Transaction) end(status string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return errEnded
	}
	t.ended = true
	s := t.session
	s.recorder.mu.Lock()
	delete(s.recorder.open, t)
	s.recorder.mu.Unlock()
	content := line{Session: s.number, Index: s.index, Start: t.start, Status: status, Ops: t.ops}
	if status != "indeterminate" {
		end := s.recorder.now()
		content.End = &end
	}
	s.index++
	if status == "indeterminate" {
		// The database may still execute the transaction, so what follows it belongs to a new session.
		s.number, s.index = s.recorder.nextSession(), 0
	}
	return s.recorder.write(content)
}
