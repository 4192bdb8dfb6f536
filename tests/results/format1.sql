-- A database of format 1, as the code wrote it that had this format: dumped with SQLite from the file which the store of
-- the commit before df4139f made, of a run that passed and one whose process was gone. Host and times are changed.
CREATE TABLE applications (
  run INTEGER NOT NULL REFERENCES runs(id), application TEXT NOT NULL, launches INTEGER NOT NULL,
  cycles INTEGER NOT NULL, warp_instructions INTEGER NOT NULL, thread_instructions INTEGER NOT NULL,
  statistics TEXT, PRIMARY KEY (run, application)) WITHOUT ROWID;
INSERT INTO "applications" VALUES(1,'bfs',1,100,20,640,'{"gpu.cycles":100,"gpu.sm.l1_hits":6}');
CREATE TABLE configurations (hash TEXT PRIMARY KEY, parameters TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO "configurations" VALUES('ed115db777ccceddaac4307cb651dd5a','{"core_mhz":"700","sm.l1.kib":"16","sms":"15"}');
CREATE TABLE kernels (
  run INTEGER NOT NULL REFERENCES runs(id), number INTEGER NOT NULL, name TEXT NOT NULL, application TEXT NOT NULL,
  stream INTEGER NOT NULL, grid TEXT NOT NULL, block TEXT NOT NULL, cycles INTEGER NOT NULL,
  warp_instructions INTEGER NOT NULL, thread_instructions INTEGER NOT NULL, host_seconds REAL NOT NULL, counters TEXT,
  PRIMARY KEY (run, number)) WITHOUT ROWID;
INSERT INTO "kernels" VALUES(1,0,'search','bfs',0,'8x1x1','256x1x1',100,20,640,0.4,'[100,6]');
CREATE TABLE runs (
  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, identity TEXT NOT NULL, status TEXT NOT NULL,
  started TEXT NOT NULL, ended TEXT, host TEXT NOT NULL, pid INTEGER NOT NULL, process_start TEXT NOT NULL,
  workload TEXT NOT NULL, size TEXT NOT NULL, elements INTEGER NOT NULL, seed INTEGER NOT NULL, mode TEXT NOT NULL,
  program TEXT NOT NULL, gpu TEXT NOT NULL, design TEXT NOT NULL, changes TEXT NOT NULL,
  configuration TEXT NOT NULL REFERENCES configurations(hash), version TEXT NOT NULL, threads INTEGER NOT NULL,
  detail TEXT, host_seconds REAL, launches INTEGER, cycles INTEGER, warp_instructions INTEGER,
  thread_instructions INTEGER, statistics TEXT);
INSERT INTO "runs" VALUES(1,'5f0bd7224bdb277af3e08a22a116ed83','38b0e15e1e9dcae12ff61e9db62cb540','passed','2026-01-02T03:04:05.006Z','2026-01-02T03:04:05.006Z','old-host',21825,'1281717','bfs','tiny',1000,1,'timed','be84658b697c9cd6cc49fdcc510be364','fermi-gtx480','','[]','ed115db777ccceddaac4307cb651dd5a','0.1.0+1',1,'all equal',0.5,1,100,20,640,'{"gpu.cycles":100.0,"gpu.sm.l1_hits":6.0}');
INSERT INTO "runs" VALUES(2,'bad6c866720f8e064fa17f59cc630417','b12464c6accf1ee1138e37cd8ed46b21','killed','2026-01-02T03:04:05.006Z',NULL,'old-host',21825,'1281717','gups','tiny',1000,1,'timed','fa1d63ce7bfdc0fcf8a5a42463c5a3b1','fermi-gtx480','power-d1','["sm.l1.kib=16"]','ed115db777ccceddaac4307cb651dd5a','0.1.0+1',1,'the simulator ended without a word',NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE series (
  run INTEGER NOT NULL REFERENCES runs(id), counter TEXT NOT NULL, ends TEXT NOT NULL, growth TEXT NOT NULL,
  PRIMARY KEY (run, counter)) WITHOUT ROWID;
INSERT INTO "series" VALUES(1,'gpu.sm.l1_hits','[50,100]','[2,4]');
CREATE INDEX runs_identity ON runs(identity);
CREATE INDEX runs_running ON runs(status) WHERE status = 'running';
PRAGMA user_version = 1;
