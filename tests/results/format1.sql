-- A database as Heddle 0.1.0 wrote it first: format 1, a run that passed and one that was killed.
CREATE TABLE configurations (hash TEXT PRIMARY KEY, parameters TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE runs (
  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, identity TEXT NOT NULL, status TEXT NOT NULL,
  started TEXT NOT NULL, ended TEXT, host TEXT NOT NULL, pid INTEGER NOT NULL, process_start TEXT NOT NULL,
  workload TEXT NOT NULL, size TEXT NOT NULL, elements INTEGER NOT NULL, seed INTEGER NOT NULL, mode TEXT NOT NULL,
  program TEXT NOT NULL, gpu TEXT NOT NULL, design TEXT NOT NULL, changes TEXT NOT NULL,
  configuration TEXT NOT NULL REFERENCES configurations(hash), version TEXT NOT NULL, threads INTEGER NOT NULL,
  detail TEXT, host_seconds REAL, launches INTEGER, cycles INTEGER, warp_instructions INTEGER,
  thread_instructions INTEGER, statistics TEXT);
CREATE INDEX runs_identity ON runs(identity);
CREATE INDEX runs_running ON runs(status) WHERE status = 'running';
CREATE TABLE kernels (
  run INTEGER NOT NULL REFERENCES runs(id), number INTEGER NOT NULL, name TEXT NOT NULL, application TEXT NOT NULL,
  stream INTEGER NOT NULL, grid TEXT NOT NULL, block TEXT NOT NULL, cycles INTEGER NOT NULL,
  warp_instructions INTEGER NOT NULL, thread_instructions INTEGER NOT NULL, host_seconds REAL NOT NULL, counters TEXT,
  PRIMARY KEY (run, number)) WITHOUT ROWID;
CREATE TABLE applications (
  run INTEGER NOT NULL REFERENCES runs(id), application TEXT NOT NULL, launches INTEGER NOT NULL,
  cycles INTEGER NOT NULL, warp_instructions INTEGER NOT NULL, thread_instructions INTEGER NOT NULL,
  statistics TEXT, PRIMARY KEY (run, application)) WITHOUT ROWID;
CREATE TABLE series (
  run INTEGER NOT NULL REFERENCES runs(id), counter TEXT NOT NULL, ends TEXT NOT NULL, growth TEXT NOT NULL,
  PRIMARY KEY (run, counter)) WITHOUT ROWID;
INSERT INTO configurations VALUES ('c0ffee', '{"core_mhz":"700","sm.l1.kib":"16","sms":"15"}');
INSERT INTO runs VALUES (1, 'k1', '0123456789abcdef0123456789abcdef', 'passed', '2026-01-02T03:04:05.006Z',
  '2026-01-02T03:04:06.006Z', 'old-host', 77, '123', 'bfs', 'tiny', 1000, 1, 'timed', 'p1', 'fermi-gtx480', '', '[]',
  'c0ffee', '0.1.0+1', 1, 'all equal', 0.5, 1, 100, 20, 640, '{"gpu.cycles":100.0,"gpu.sm.l1_hits":6.0}');
INSERT INTO runs VALUES (2, 'k2', '1123456789abcdef0123456789abcdef', 'killed', '2026-01-02T03:05:05.006Z', NULL,
  'old-host', 78, '124', 'gups', 'tiny', 1000, 1, 'timed', 'p2', 'fermi-gtx480', 'power-d1', '["sm.l1.kib=16"]',
  'c0ffee', '0.1.0+1', 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO kernels VALUES (1, 0, 'search', 'bfs', 0, '8x1x1', '256x1x1', 100, 20, 640, 0.4, '[100,6]');
INSERT INTO applications VALUES (1, 'bfs', 1, 100, 20, 640, '{"gpu.cycles":100}');
INSERT INTO series VALUES (1, 'gpu.sm.l1_hits', '[50,100]', '[2,4]');
PRAGMA user_version = 1;
