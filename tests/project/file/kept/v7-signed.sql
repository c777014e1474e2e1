PRAGMA application_id = 1146569296;
PRAGMA user_version = 7;
BEGIN TRANSACTION;
CREATE TABLE cap (id INTEGER NOT NULL PRIMARY KEY, dataset INTEGER NOT NULL, epsilon TEXT NOT NULL, reason TEXT NOT NULL, set_by TEXT NOT NULL, set_at TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "cap" VALUES(1,1,'10','yearly budget','Ann','2026-11-18T03:36:58.027146Z');
INSERT INTO "cap" VALUES(2,1,'12','board decision','Rita','2026-11-18T03:36:58.038552Z');
CREATE TABLE dataset (id INTEGER NOT NULL PRIMARY KEY, content TEXT NOT NULL UNIQUE, file TEXT NOT NULL, name TEXT NOT NULL, records INTEGER NOT NULL, establishments INTEGER, schema TEXT NOT NULL, saved_at TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "dataset" VALUES(1,'cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc','ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff','jobs.csv',20000,NULL,'[{"distinct":20,"kind":"codes","missing":3,"name":"sector","role":"workplace attribute","title":""}]','2026-11-18T03:36:58.018669Z');
CREATE TABLE dataset_alias (id INTEGER NOT NULL PRIMARY KEY, dataset INTEGER NOT NULL, file TEXT NOT NULL, name TEXT NOT NULL, saved_at TEXT NOT NULL, UNIQUE (dataset, file, name)) STRICT, WITHOUT ROWID;
CREATE TABLE decision (id INTEGER NOT NULL PRIMARY KEY, release INTEGER NOT NULL, number INTEGER NOT NULL, run INTEGER NOT NULL, plan_digest TEXT NOT NULL, decision TEXT NOT NULL, reviewer TEXT NOT NULL, comment TEXT NOT NULL, public_comment TEXT NOT NULL, supersedes INTEGER NOT NULL, decided_at TEXT NOT NULL, policy INTEGER, exception INTEGER, words TEXT, declared TEXT) STRICT, WITHOUT ROWID;
INSERT INTO "decision" VALUES(1,1,1,1,'ddef9895e4db82e789f470572af7ebc56b304c60094e84bade0e3f35aa48feb3','approve','Rita','approved with care','',0,'2026-11-18T03:36:58.031465Z',0,0,'d73276c0c04831b85d9d322fcda5b76d74c70973fb9c48d1c5b9ff108f817ba0','[]');
CREATE TABLE endorsement (id INTEGER NOT NULL PRIMARY KEY, public_key INTEGER NOT NULL, kind TEXT NOT NULL, endorser INTEGER NOT NULL, anchor TEXT NOT NULL, signature TEXT NOT NULL, made_at TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "endorsement" VALUES(1,3,'vouch',4,'35a94fbccb9c958f6273c3c7d6a979f07c6c1d41d9cca4d7b8a71c1151c22348','6de75d4c0d120f81683d8d2bdd2092171b6dcd0bb7030f61f0144905c1cf07077f2e1ef41c33c5cfb2e90aa9f9def2484f977e0dcffb323d525c589ebf31b804','2026-11-18T03:36:58.053706Z');
CREATE TABLE exception (id INTEGER NOT NULL PRIMARY KEY, release INTEGER NOT NULL, run INTEGER NOT NULL, policy INTEGER NOT NULL, definition TEXT NOT NULL, epsilon TEXT NOT NULL, delta TEXT NOT NULL, overspend TEXT NOT NULL, reason TEXT NOT NULL, granted_by TEXT NOT NULL, granted_at TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE finding (id INTEGER NOT NULL PRIMARY KEY, run INTEGER NOT NULL, position INTEGER NOT NULL, finding TEXT NOT NULL, status TEXT NOT NULL, audience TEXT NOT NULL, body TEXT NOT NULL, UNIQUE (run, position)) STRICT, WITHOUT ROWID;
INSERT INTO "finding" VALUES(1,1,0,'exact-loss','pass','public','{"audience":"public","does_not_prove":"Anything about other definitions.","figures":[{"extra":{},"grid":[],"kind":"lines","marks":[],"outlined":[],"series":[{"dashed":false,"high":[],"low":[],"muted":false,"name":"worst pair","x":[0.0,1.0],"y":[2.0,"inf"]}],"subtitle":"","title":"Loss","x":{"categories":[],"label":"output","log":false,"unit":""},"y":{"categories":[],"label":"loss","log":false,"unit":"ε"}}],"id":"exact-loss","sentence":"The largest log ratio is 2.","stage":"","status":"pass","tables":[{"columns":["pair","loss"],"note":"","rows":[["a",1.5],["b",2.0]],"title":"Worst"}],"title":"Exact loss","values":{"cells":12,"epsilon":2.0,"none":null,"note":"é"}}');
INSERT INTO "finding" VALUES(2,2,0,'exact-loss','pass','public','{"audience":"public","does_not_prove":"Anything about other definitions.","figures":[{"extra":{},"grid":[],"kind":"lines","marks":[],"outlined":[],"series":[{"dashed":false,"high":[],"low":[],"muted":false,"name":"worst pair","x":[0.0,1.0],"y":[2.0,"inf"]}],"subtitle":"","title":"Loss","x":{"categories":[],"label":"output","log":false,"unit":""},"y":{"categories":[],"label":"loss","log":false,"unit":"ε"}}],"id":"exact-loss","sentence":"The largest log ratio is 2.","stage":"","status":"pass","tables":[{"columns":["pair","loss"],"note":"","rows":[["a",1.5],["b",2.0]],"title":"Worst"}],"title":"Exact loss","values":{"cells":12,"epsilon":2.0,"none":null,"note":"é"}}');
CREATE TABLE head (id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1), entries INTEGER NOT NULL, hash TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "head" VALUES(1,17,'b4c1aa81491a8d94e8363e701739824272ea3461d48b5e31a89728ad1236f376');
CREATE TABLE journal (seq INTEGER NOT NULL PRIMARY KEY, at TEXT NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL, subject TEXT NOT NULL, payload TEXT NOT NULL, previous TEXT NOT NULL, hash TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "journal" VALUES(1,'2026-11-18T03:36:58.014081Z','Ann','create','project','{"note":{},"rows":[["meta",1,"c0da05727a9ad705a59ddb035d024f7316688c5a1cf5c2fc2b5997f5efb7fc9e","the project",true]]}','0000000000000000000000000000000000000000000000000000000000000000','0c2b5569085d3c3c2047ff21656f014b5c52b5155d7ec0275cb1aea5e2d4c74c');
INSERT INTO "journal" VALUES(2,'2026-11-18T03:36:58.016607Z','Paula','save release','R-0001','{"note":{},"rows":[["release",1,"86828d74689eab58de656984d4972854344fe2ce7b0c48edd1ffed3cad1300ed","release R-0001",true],["plan",1,"def83b2a627fd275d0ad2a235f307df973640a97d3bde0723a2f4cc7021a70dd","plan 1 of R-0001",true]]}','0c2b5569085d3c3c2047ff21656f014b5c52b5155d7ec0275cb1aea5e2d4c74c','29782a6f736cca401d795a196f81082cb57a19150477172393a5743da8ae2785');
INSERT INTO "journal" VALUES(3,'2026-11-18T03:36:58.018669Z','Ann','save dataset','dataset cccccccccccc','{"note":{},"rows":[["dataset",1,"c4aab67198045d655c1bdc455d9f4f54175e9299e1710a6d3f9844b3a2ad0553","data set cccccccccccc",true]]}','29782a6f736cca401d795a196f81082cb57a19150477172393a5743da8ae2785','0c61c8d6c271072e87140d648d411e0de7a92cc8b2e34793ba1ca32ef6a6ed38');
INSERT INTO "journal" VALUES(4,'2026-11-18T03:36:58.024292Z','Ann','add run','R-0001','{"note":{},"rows":[["run",1,"b59efc0f6e35c2fa0a063d4afa98d96cde411043e408f8a74678633c730c434e","run 1 of R-0001",true],["finding",1,"15f29b6aee42d3c6ebc2f3b6fe675d418a05e9f07b4bd25a670822122376ca12","finding 1 of run 1 of R-0001",true],["published",1,"8d640b7dd5e00da5013ac3f24d933b439dbbc9000fbdfc3bc6807ef43e4800bd","the published values of run 1 of R-0001",true],["published_column",1,"3ccdb9da13326eb58783b8bab4d08d663abe41d86c930e4e5e664f2a48e334ab","column 1 of the published values of run 1 of R-0001",true],["published_column",2,"787e655f8e231bcb6760aaf28b911960620b7f18b29579d960618c964dbd477d","column 2 of the published values of run 1 of R-0001",true],["published_column",3,"05da638f1040844caa5d79329d765e6451f3e59967a4a5d9cc2a9ef761cac501","column 3 of the published values of run 1 of R-0001",true],["release",1,"fb5a45c059acdb54f2ab2da14f766c8876e847be210f3db7dc1a92838368dd4f","release R-0001",false]]}','0c61c8d6c271072e87140d648d411e0de7a92cc8b2e34793ba1ca32ef6a6ed38','bdd44e9ed46d949a7a9d811c3dfe9d6db59c9f1f935f38e47b7267c9b8baf540');
INSERT INTO "journal" VALUES(5,'2026-11-18T03:36:58.027146Z','Ann','set cap','dataset cccccccccccc','{"note":{},"rows":[["cap",1,"ab115237ac8613a3b7a535bc50774974d7905451d9b392517936c666b95d9b1c","the cap of data set cccccccccccc",true]]}','bdd44e9ed46d949a7a9d811c3dfe9d6db59c9f1f935f38e47b7267c9b8baf540','437dc556d5303999e71219a15caf607e3797d1856b18762839cdc1c79dfd7be8');
INSERT INTO "journal" VALUES(6,'2026-11-18T03:36:58.028625Z','Vera','vote','R-0001','{"note":{},"rows":[["vote",1,"7d0e65e036550af8437660ff935abfaf7d1ada125fced8df21d545ce84750a4a","a vote on R-0001",true],["public_key",1,"0d026b52695f82ae2113c363f1d9bc654e68d7e31e3a443abb345b1ca0c5fdd4","the key c84d-171e-87f6-8e55 of Vera",true],["signature",1,"9dbcc77c1296416347ba702e85a43e96ffe799d3996bf34b1f7c5465d5ad856c","the signature of Vera (c84d-171e-87f6-8e55)",true]]}','437dc556d5303999e71219a15caf607e3797d1856b18762839cdc1c79dfd7be8','7d3360e589ee91748297156d35a07de8ebcd4c1f95e5b92aa66b6d2a4b400d3c');
INSERT INTO "journal" VALUES(7,'2026-11-18T03:36:58.031465Z','Rita','decide','R-0001','{"note":{},"rows":[["decision",1,"a0c350783e35d74aff25936a3044044a16dc23d1dc60edd86932b461ae98e37c","decision 1 of R-0001",true],["release",1,"ed4d8aa7933a1431b3fb202509334bbbce491248ab42603d8e5329d0537ed3f8","release R-0001",false],["ledger",1,"d1f33403c339855e5c66065b68b6c4525a0315344de0668ae8ffe885674b19b0","the ledger entry of R-0001",true],["public_key",2,"f380e159b6f021f6fa73dc823aeedbb1843f470fff7cc9bbf0646300742d5353","the key da21-2ce6-791d-8394 of Rita",true],["signature",2,"03fcd57609554423f0debec0d146fc881a9c8bf15c5e05fd12410088582ee63b","the signature of Rita (da21-2ce6-791d-8394)",true]]}','7d3360e589ee91748297156d35a07de8ebcd4c1f95e5b92aa66b6d2a4b400d3c','a757e172032b3b6e71b484e5cdd0c4748d750054f35f66393707a3000c9e2d42');
INSERT INTO "journal" VALUES(8,'2026-11-18T03:36:58.038552Z','Rita','set cap','dataset cccccccccccc','{"note":{},"rows":[["cap",2,"b53197236dd42f370cd8fdf8624ce12d88c8453aec175e3456590e5e153ff935","the cap of data set cccccccccccc",true]]}','a757e172032b3b6e71b484e5cdd0c4748d750054f35f66393707a3000c9e2d42','b29b557d2d9eeb16fee860c120c6c2c82ec2a2b7eeae275291b9484c1b3c1fb5');
INSERT INTO "journal" VALUES(9,'2026-11-18T03:36:58.040014Z','Rita','set policy','policy default, version 1','{"note":{},"rows":[["policy",1,"cb55006997186f236b865168fb688cb987211b11b2a61077b7bf006a3b43c479","policy default, version 1",true]]}','b29b557d2d9eeb16fee860c120c6c2c82ec2a2b7eeae275291b9484c1b3c1fb5','06d1b7de700b527e89af361c60fbd2508585a6634b1e6a0b4d50397787b688d9');
INSERT INTO "journal" VALUES(10,'2026-11-18T03:36:58.043141Z','Paula','save release','R-0002','{"note":{},"rows":[["release",2,"2c51481ff6d42d31ae2f4f31269ad135855201424b6ea5c2a71c2027762767a7","release R-0002",true],["plan",2,"d3be45ba038801d66fe795208a68a59259fa2518e31a91fad13e1d75a2c805c9","plan 1 of R-0002",true]]}','06d1b7de700b527e89af361c60fbd2508585a6634b1e6a0b4d50397787b688d9','bf912c6d94101af84eb427d4738eb0f26201192594a3e98e616eb680ab80b429');
INSERT INTO "journal" VALUES(11,'2026-11-18T03:36:58.048095Z','Ann','add run','R-0002','{"note":{},"rows":[["run",2,"e45a6356d32abb36416d27c284b7c32fd1fd3550bf0b3837af39a83edc17bfac","run 1 of R-0002",true],["finding",2,"d5b0e7e2cc2d3018f69305acd076733cba93a1a7a5e687d80587c20e19d5c199","finding 1 of run 1 of R-0002",true],["published",2,"ed601c608c0dd59f9b190e0c025c8c93105e1f79e1b55fbe790307290ce1be03","the published values of run 1 of R-0002",true],["published_column",4,"40e178b5a28f6e4653c91a23180bbddbd30455a6721bbdf41d629c9f01506d68","column 1 of the published values of run 1 of R-0002",true],["published_column",5,"63c67bfa77b587f79918ffbb67b93ba24c3a804c9eb475ad61a3e056c1f8f85f","column 2 of the published values of run 1 of R-0002",true],["published_column",6,"24eeac95a96292a5a5d2bf60cae6e3647d25e31770c6d10a08f23e651dab7f26","column 3 of the published values of run 1 of R-0002",true],["release",2,"abddd2d85296f20b7c2119f847c6791b25b363c9e2b4a2e2f480902dcbfee620","release R-0002",false]]}','bf912c6d94101af84eb427d4738eb0f26201192594a3e98e616eb680ab80b429','16cb7d73b535bf4b0a4ffb7f3dd68c4024ca69e08bb95a3b6f8f81a05855ae92');
INSERT INTO "journal" VALUES(12,'2026-11-18T03:36:58.050688Z','Vera','enrol key','Vera','{"note":{},"rows":[["public_key",3,"135a46b993f4bc00d6d702b0ea41490e1498d1e809c7befcc630b2f8d701ebb9","the key 6ae9-04be-001e-fa2a of Vera",true]]}','16cb7d73b535bf4b0a4ffb7f3dd68c4024ca69e08bb95a3b6f8f81a05855ae92','825dd9455c872ae315ffd77bb29ca8cc77333491fc2ff6762b9e1ec65860225e');
INSERT INTO "journal" VALUES(13,'2026-11-18T03:36:58.052182Z','Zed','enrol key','Zed','{"note":{},"rows":[["public_key",4,"f5223323a05697bce6c613859e0114aa34b256d75ead8883dd83044a00ab7c82","the key 11e6-5f9a-d9d3-786d of Zed",true]]}','825dd9455c872ae315ffd77bb29ca8cc77333491fc2ff6762b9e1ec65860225e','35a94fbccb9c958f6273c3c7d6a979f07c6c1d41d9cca4d7b8a71c1151c22348');
INSERT INTO "journal" VALUES(14,'2026-11-18T03:36:58.053706Z','Zed','vouch key','Vera','{"note":{},"rows":[["endorsement",1,"aaca8f37736fe0b91801beea62e7829546e2ea3a5dffc73de31d58441dea9016","Zed''s word for the key 6ae9-04be-001e-fa2a of Vera",true]]}','35a94fbccb9c958f6273c3c7d6a979f07c6c1d41d9cca4d7b8a71c1151c22348','7114497757fcefe5e29c132a6a0092294f638263f0c43d05b49bfbddb36c63fd');
INSERT INTO "journal" VALUES(15,'2026-11-18T03:36:58.055474Z','Vera','vote','R-0002','{"note":{},"rows":[["vote",2,"13a1133b73c1013a997754a4f8fbe8bf2cb1dac6243c70bd5b760f2ee303f00e","a vote on R-0002",true],["signature",3,"536ee02de2264d9b65f091ceebae2fd547943a2fa55107600a9068879057ed5c","the signature of Vera (6ae9-04be-001e-fa2a)",true]]}','7114497757fcefe5e29c132a6a0092294f638263f0c43d05b49bfbddb36c63fd','42fc08da3b6b0366e8594b7d892d3963eb68575ec51c2569bd26d12441793419');
INSERT INTO "journal" VALUES(16,'2026-11-18T03:36:58.058862Z','Rita','withdraw release','R-0002','{"note":{"reason":"not needed"},"rows":[["release",2,"2b6705021a6afa7cde9f4d96aaa86d23cdbafbb2728319c40730106f6ee6efd6","release R-0002",false]]}','42fc08da3b6b0366e8594b7d892d3963eb68575ec51c2569bd26d12441793419','42f133fd5273cfb8c67de2e9b361610a05a2af882e75f266aa25890411377091');
INSERT INTO "journal" VALUES(17,'2026-11-18T03:36:58.060324Z','Rita','require signatures','project','{"note":{},"rows":[]}','42f133fd5273cfb8c67de2e9b361610a05a2af882e75f266aa25890411377091','b4c1aa81491a8d94e8363e701739824272ea3461d48b5e31a89728ad1236f376');
CREATE TABLE ledger (id INTEGER NOT NULL PRIMARY KEY, dataset INTEGER NOT NULL, content TEXT NOT NULL, release INTEGER NOT NULL, run INTEGER NOT NULL, decision INTEGER NOT NULL, definition TEXT NOT NULL, unit TEXT NOT NULL, epsilon TEXT NOT NULL, delta TEXT NOT NULL, alpha TEXT NOT NULL, formal INTEGER NOT NULL, rule TEXT NOT NULL, sentence TEXT NOT NULL, entered_at TEXT NOT NULL, workings TEXT, coverage TEXT, exception INTEGER, part TEXT, group_size INTEGER, rho TEXT, exact TEXT) STRICT, WITHOUT ROWID;
INSERT INTO "ledger" VALUES(1,1,'cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc',1,1,1,'edge differential privacy','one job','2','0','',1,'sequential','A promise.','2026-11-18T03:36:58.031465Z','ε 2 is added to the 0 spent before: 2.','',0,'',1,'',NULL);
CREATE TABLE meta (id INTEGER NOT NULL PRIMARY KEY, project TEXT NOT NULL, program TEXT NOT NULL, created_at TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "meta" VALUES(1,'aa7c47d9-9f8d-4c34-8ea9-3a64c566da05','0.1.0','2026-11-18T03:36:58.014081Z');
CREATE TABLE overlap (id INTEGER NOT NULL PRIMARY KEY, dataset INTEGER NOT NULL, other INTEGER NOT NULL, basis TEXT NOT NULL, share TEXT NOT NULL, compared INTEGER NOT NULL, found_at TEXT NOT NULL, UNIQUE (dataset, other, basis)) STRICT, WITHOUT ROWID;
CREATE TABLE plan (id INTEGER NOT NULL PRIMARY KEY, release INTEGER NOT NULL, revision INTEGER NOT NULL, text TEXT NOT NULL, digest TEXT NOT NULL, saved_by TEXT NOT NULL, saved_at TEXT NOT NULL, UNIQUE (release, revision)) STRICT, WITHOUT ROWID;
INSERT INTO "plan" VALUES(1,1,1,'[product]
id = "employment_tables"
','ddef9895e4db82e789f470572af7ebc56b304c60094e84bade0e3f35aa48feb3','Paula','2026-11-18T03:36:58.016607Z');
INSERT INTO "plan" VALUES(2,2,1,'[product]
id = "employment_tables"
','ddef9895e4db82e789f470572af7ebc56b304c60094e84bade0e3f35aa48feb3','Paula','2026-11-18T03:36:58.043141Z');
CREATE TABLE policy (id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, version INTEGER NOT NULL, text TEXT NOT NULL, digest TEXT NOT NULL, reason TEXT NOT NULL, set_by TEXT NOT NULL, set_at TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "policy" VALUES(1,'default',1,'[policy]
name = "default"
version = 1
summary = ""

[epsilon]
edge = 1000.0
strong = 1000.0
weak = 1000.0
node = 1000.0
local = 1000.0
probabilistic = 1000.0
central = 1000.0
conditional = 1000.0
replaced = 1000.0
history = 1000.0
residence = 1000.0
compose = "filter"
count_implied = false
no_bound = "warn"

[delta]
edge = 1.0
strong = 1.0
weak = 1.0
node = 1.0
local = 1.0
probabilistic = 1.0
central = 1.0
conditional = 1.0
replaced = 1.0
history = 1.0
residence = 1.0
composing = 0.0
times_records = 1.0
above = "warn"

[evidence]
required_checks = []
audit = "comment"
not_formal = "warn"
declarations = "warn"
differencing = "warn"
context_fields = [
    "title",
    "requester",
    "purpose",
    "authority",
    "period",
    "smallest_geography",
]
context_missing = "warn"
rounding = 1

[review]
reviewers = 1
blinded = false
unanimous = false
exceptions_by = []
','829e29968f9410612727697ea86f2a9979c4f2ebeb9f07208be13d4b662ccb7a','board decision','Rita','2026-11-18T03:36:58.040014Z');
CREATE TABLE programme (id INTEGER NOT NULL PRIMARY KEY, dataset INTEGER NOT NULL, definition TEXT NOT NULL, items TEXT NOT NULL, reason TEXT NOT NULL, set_by TEXT NOT NULL, set_at TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE public_key (id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, public TEXT NOT NULL UNIQUE, enrolled_at TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "public_key" VALUES(1,'Vera','80b4f33171a05772ac0897a5288e7cf5648cf9806605907c9209f67b55c865d7','2026-11-18T03:36:58.028625Z');
INSERT INTO "public_key" VALUES(2,'Rita','86e287fabee66265b88321b1b7be1d40866aea750c43660b660e4c0f10c2985d','2026-11-18T03:36:58.031465Z');
INSERT INTO "public_key" VALUES(3,'Vera','3c1c1560959d191783d41363af93c9179f9af5a3184b429ff956601969143658','2026-11-18T03:36:58.050688Z');
INSERT INTO "public_key" VALUES(4,'Zed','cc803bb3d8d217ca9907248f7809cb3f2d7d5d2dbf1b92ddec84c2652fe587bd','2026-11-18T03:36:58.052182Z');
CREATE TABLE published (id INTEGER NOT NULL PRIMARY KEY, run INTEGER NOT NULL UNIQUE, columns TEXT NOT NULL, value_name TEXT NOT NULL, length INTEGER NOT NULL, keys BLOB NOT NULL, numbers BLOB NOT NULL, digest TEXT NOT NULL, layout TEXT) STRICT, WITHOUT ROWID;
INSERT INTO "published" VALUES(1,1,'["place","sector","jobs"]','',6,X'',X'','b7b34ddc10154af322e87284b70360a89b089988b950cf16749147475de21247','{"columns":[{"body":"9618b74b1f217d23d01190fc7ebe5ade02fe774d25de152407bfffa77fb4042b","kind":"coded","missing":false,"name":"place","role":"key","texts":"3e4e97e3047afd3744f3eee0c1e22ab281ad585098fb24915833f875bbd6a412","title":"","values":6},{"body":"6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d","kind":"coded","missing":false,"name":"sector","role":"key","texts":"088611e85e0c3bf80d6120f80204a3f074e45dfe2ab438212af8ea02adc15abb","title":"","values":1},{"additive":true,"body":"8e6a9549ae17cbd121e8016b0d5647e5af6750adbb43cd5b30d38274def21830","bytes":8,"decimals":0,"gaps":false,"kind":"units","name":"jobs","texts":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","title":"","unit":""}],"records":false,"rows":6}');
INSERT INTO "published" VALUES(2,2,'["place","sector","jobs"]','',6,X'',X'','b7b34ddc10154af322e87284b70360a89b089988b950cf16749147475de21247','{"columns":[{"body":"9618b74b1f217d23d01190fc7ebe5ade02fe774d25de152407bfffa77fb4042b","kind":"coded","missing":false,"name":"place","role":"key","texts":"3e4e97e3047afd3744f3eee0c1e22ab281ad585098fb24915833f875bbd6a412","title":"","values":6},{"body":"6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d","kind":"coded","missing":false,"name":"sector","role":"key","texts":"088611e85e0c3bf80d6120f80204a3f074e45dfe2ab438212af8ea02adc15abb","title":"","values":1},{"additive":true,"body":"8e6a9549ae17cbd121e8016b0d5647e5af6750adbb43cd5b30d38274def21830","bytes":8,"decimals":0,"gaps":false,"kind":"units","name":"jobs","texts":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","title":"","unit":""}],"records":false,"rows":6}');
CREATE TABLE published_column (id INTEGER NOT NULL PRIMARY KEY, published INTEGER NOT NULL, position INTEGER NOT NULL, packing TEXT NOT NULL, dictionary BLOB NOT NULL, body BLOB NOT NULL, UNIQUE (published, position)) STRICT, WITHOUT ROWID;
INSERT INTO "published_column" VALUES(1,1,0,'',X'789C8B8E562AC8494C4E553050D281B20CE12C2338CB18CE3281B34C956275A26363017C5912D6',X'103254');
INSERT INTO "published_column" VALUES(2,1,1,'',X'789C8B8E562A4E4D2EC92F5238BC522956273A3616003FE206B5',X'00');
INSERT INTO "published_column" VALUES(3,1,2,'',X'789C030000000001',X'00000000000000C0FFFFFFFFFFFFFFFF0000000000000000010000000000000007000000000000000000000000000040');
INSERT INTO "published_column" VALUES(4,2,0,'',X'789C8B8E562AC8494C4E553050D281B20CE12C2338CB18CE3281B34C956275A26363017C5912D6',X'103254');
INSERT INTO "published_column" VALUES(5,2,1,'',X'789C8B8E562A4E4D2EC92F5238BC522956273A3616003FE206B5',X'00');
INSERT INTO "published_column" VALUES(6,2,2,'',X'789C030000000001',X'00000000000000C0FFFFFFFFFFFFFFFF0000000000000000010000000000000007000000000000000000000000000040');
CREATE TABLE release (id INTEGER NOT NULL PRIMARY KEY, code TEXT NOT NULL UNIQUE, title TEXT NOT NULL, product TEXT NOT NULL, context TEXT NOT NULL, preparer TEXT NOT NULL, reviewers_needed INTEGER NOT NULL, revision INTEGER NOT NULL, state TEXT NOT NULL, created_at TEXT NOT NULL, changed_at TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "release" VALUES(1,'R-0001','Jobs by place','employment_tables','{"authority":"statute 7","purpose":"yearly table","requester":"Zoë"}','Paula',1,1,'approved','2026-11-18T03:36:58.016607Z','2026-11-18T03:36:58.031465Z');
INSERT INTO "release" VALUES(2,'R-0002','Jobs by place','employment_tables','{"authority":"statute 7","purpose":"yearly table","requester":"Zoë"}','Paula',1,1,'withdrawn','2026-11-18T03:36:58.043141Z','2026-11-18T03:36:58.058862Z');
CREATE TABLE run (id INTEGER NOT NULL PRIMARY KEY, release INTEGER NOT NULL, number INTEGER NOT NULL, dataset INTEGER NOT NULL, plan_digest TEXT NOT NULL, specs TEXT NOT NULL, inputs TEXT NOT NULL, tools TEXT NOT NULL, claim TEXT NOT NULL, run_by TEXT NOT NULL, run_at TEXT NOT NULL, same_table TEXT, offered TEXT, units TEXT, UNIQUE (release, number)) STRICT, WITHOUT ROWID;
INSERT INTO "run" VALUES(1,1,1,1,'ddef9895e4db82e789f470572af7ebc56b304c60094e84bade0e3f35aa48feb3','[{"id":"laplace","kind":"mechanism","params":{"epsilon":0.1,"on":["a"]},"version":1}]','{"dictionary":"dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd"}','{"numpy":"2.4.6"}','{"alpha":null,"assumptions":[],"composition":"Sequential: ε adds up over every release from the same data.","definition":"edge differential privacy","delta":0,"epsilon":2,"formal":true,"sentence":"A promise.","unit":"one job"}','Ann','2026-11-18T03:36:58.024292Z','',NULL,'[["establishments",950]]');
INSERT INTO "run" VALUES(2,2,1,1,'ddef9895e4db82e789f470572af7ebc56b304c60094e84bade0e3f35aa48feb3','[{"id":"laplace","kind":"mechanism","params":{"epsilon":0.1,"on":["a"]},"version":1}]','{"dictionary":"dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd"}','{"numpy":"2.4.6"}','{"alpha":null,"assumptions":[],"composition":"Sequential: ε adds up over every release from the same data.","definition":"edge differential privacy","delta":0,"epsilon":2,"formal":true,"sentence":"A promise.","unit":"one job"}','Ann','2026-11-18T03:36:58.048095Z','',NULL,'[["establishments",950]]');
CREATE TABLE separation (id INTEGER NOT NULL PRIMARY KEY, dataset INTEGER NOT NULL, other INTEGER NOT NULL, reason TEXT NOT NULL, set_by TEXT NOT NULL, set_at TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE signature (id INTEGER NOT NULL PRIMARY KEY, kind TEXT NOT NULL, subject INTEGER NOT NULL, public_key INTEGER NOT NULL, anchor TEXT NOT NULL, signature TEXT NOT NULL, signed_at TEXT NOT NULL, UNIQUE (kind, subject)) STRICT, WITHOUT ROWID;
INSERT INTO "signature" VALUES(1,'vote',1,1,'437dc556d5303999e71219a15caf607e3797d1856b18762839cdc1c79dfd7be8','35c2c5adcfe4117a47086ec098f9a97b228b857f62f0da9e793af01f5ba63f0033a3242baf810e74293b8544500c2e631526a75cf3b002bb896def650168f80a','2026-11-18T03:36:58.028625Z');
INSERT INTO "signature" VALUES(2,'decision',1,2,'7d3360e589ee91748297156d35a07de8ebcd4c1f95e5b92aa66b6d2a4b400d3c','b1bf6f0243449dc4eb6da9b7a057964d64a5f3dbb36fc2c57a7e08e7b58d7fcbfff15d0e0e8e1555dd9e5ccaf4e0ca523ef64bf9eac6fbe36c5b30e6abaadb04','2026-11-18T03:36:58.031465Z');
INSERT INTO "signature" VALUES(3,'vote',2,3,'7114497757fcefe5e29c132a6a0092294f638263f0c43d05b49bfbddb36c63fd','32874d72634ad0d7af5d998f653b8d0465b60de52d2820de0897748010313be4852e5eb7a5f62a3526b4e62dcce629d54048d256e4ed772e5d5c677df8a79608','2026-11-18T03:36:58.055474Z');
CREATE TABLE sketch (id INTEGER NOT NULL PRIMARY KEY, dataset INTEGER NOT NULL, unit TEXT NOT NULL, key_mark TEXT NOT NULL, hashes BLOB NOT NULL, made_at TEXT NOT NULL, UNIQUE (dataset, unit, key_mark)) STRICT, WITHOUT ROWID;
CREATE TABLE vote (id INTEGER NOT NULL PRIMARY KEY, release INTEGER NOT NULL, run INTEGER NOT NULL, plan_digest TEXT NOT NULL, vote TEXT NOT NULL, reviewer TEXT NOT NULL, comment TEXT NOT NULL, voted_at TEXT NOT NULL, public_comment TEXT, policy INTEGER, words TEXT) STRICT, WITHOUT ROWID;
INSERT INTO "vote" VALUES(1,1,1,'ddef9895e4db82e789f470572af7ebc56b304c60094e84bade0e3f35aa48feb3','approve','Vera','signed and seen','2026-11-18T03:36:58.028625Z','',0,'d73276c0c04831b85d9d322fcda5b76d74c70973fb9c48d1c5b9ff108f817ba0');
INSERT INTO "vote" VALUES(2,2,2,'ddef9895e4db82e789f470572af7ebc56b304c60094e84bade0e3f35aa48feb3','reject','Vera','signed and seen','2026-11-18T03:36:58.055474Z','',1,'d73276c0c04831b85d9d322fcda5b76d74c70973fb9c48d1c5b9ff108f817ba0');
CREATE TRIGGER meta_no_update BEFORE UPDATE ON meta BEGIN SELECT RAISE(ABORT, 'meta rows are never changed or erased'); END;
CREATE TRIGGER meta_no_delete BEFORE DELETE ON meta BEGIN SELECT RAISE(ABORT, 'meta rows are never changed or erased'); END;
CREATE TRIGGER meta_no_replace BEFORE INSERT ON meta WHEN EXISTS (SELECT 1 FROM meta WHERE id = NEW.id) BEGIN SELECT RAISE(ABORT, 'meta rows are never replaced'); END;
CREATE TRIGGER journal_no_update BEFORE UPDATE ON journal BEGIN SELECT RAISE(ABORT, 'journal rows are never changed or erased'); END;
CREATE TRIGGER journal_no_delete BEFORE DELETE ON journal BEGIN SELECT RAISE(ABORT, 'journal rows are never changed or erased'); END;
CREATE TRIGGER journal_no_replace BEFORE INSERT ON journal WHEN EXISTS (SELECT 1 FROM journal WHERE seq = NEW.seq) BEGIN SELECT RAISE(ABORT, 'journal rows are never replaced'); END;
CREATE TRIGGER dataset_no_update BEFORE UPDATE ON dataset BEGIN SELECT RAISE(ABORT, 'dataset rows are never changed or erased'); END;
CREATE TRIGGER dataset_no_delete BEFORE DELETE ON dataset BEGIN SELECT RAISE(ABORT, 'dataset rows are never changed or erased'); END;
CREATE TRIGGER dataset_no_replace BEFORE INSERT ON dataset WHEN EXISTS (SELECT 1 FROM dataset WHERE id = NEW.id) BEGIN SELECT RAISE(ABORT, 'dataset rows are never replaced'); END;
CREATE TRIGGER dataset_alias_no_update BEFORE UPDATE ON dataset_alias BEGIN SELECT RAISE(ABORT, 'dataset_alias rows are never changed or erased'); END;
CREATE TRIGGER dataset_alias_no_delete BEFORE DELETE ON dataset_alias BEGIN SELECT RAISE(ABORT, 'dataset_alias rows are never changed or erased'); END;
CREATE TRIGGER dataset_alias_no_replace BEFORE INSERT ON dataset_alias WHEN EXISTS (SELECT 1 FROM dataset_alias WHERE id = NEW.id) BEGIN SELECT RAISE(ABORT, 'dataset_alias rows are never replaced'); END;
CREATE TRIGGER cap_no_update BEFORE UPDATE ON cap BEGIN SELECT RAISE(ABORT, 'cap rows are never changed or erased'); END;
CREATE TRIGGER cap_no_delete BEFORE DELETE ON cap BEGIN SELECT RAISE(ABORT, 'cap rows are never changed or erased'); END;
CREATE TRIGGER cap_no_replace BEFORE INSERT ON cap WHEN EXISTS (SELECT 1 FROM cap WHERE id = NEW.id) BEGIN SELECT RAISE(ABORT, 'cap rows are never replaced'); END;
CREATE TRIGGER plan_no_update BEFORE UPDATE ON plan BEGIN SELECT RAISE(ABORT, 'plan rows are never changed or erased'); END;
CREATE TRIGGER plan_no_delete BEFORE DELETE ON plan BEGIN SELECT RAISE(ABORT, 'plan rows are never changed or erased'); END;
CREATE TRIGGER plan_no_replace BEFORE INSERT ON plan WHEN EXISTS (SELECT 1 FROM plan WHERE id = NEW.id) BEGIN SELECT RAISE(ABORT, 'plan rows are never replaced'); END;
CREATE TRIGGER run_no_update BEFORE UPDATE ON run BEGIN SELECT RAISE(ABORT, 'run rows are never changed or erased'); END;
CREATE TRIGGER run_no_delete BEFORE DELETE ON run BEGIN SELECT RAISE(ABORT, 'run rows are never changed or erased'); END;
CREATE TRIGGER run_no_replace BEFORE INSERT ON run WHEN EXISTS (SELECT 1 FROM run WHERE id = NEW.id) BEGIN SELECT RAISE(ABORT, 'run rows are never replaced'); END;
CREATE TRIGGER finding_no_update BEFORE UPDATE ON finding BEGIN SELECT RAISE(ABORT, 'finding rows are never changed or erased'); END;
CREATE TRIGGER finding_no_delete BEFORE DELETE ON finding BEGIN SELECT RAISE(ABORT, 'finding rows are never changed or erased'); END;
CREATE TRIGGER finding_no_replace BEFORE INSERT ON finding WHEN EXISTS (SELECT 1 FROM finding WHERE id = NEW.id) BEGIN SELECT RAISE(ABORT, 'finding rows are never replaced'); END;
CREATE TRIGGER published_no_update BEFORE UPDATE ON published BEGIN SELECT RAISE(ABORT, 'published rows are never changed or erased'); END;
CREATE TRIGGER published_no_delete BEFORE DELETE ON published BEGIN SELECT RAISE(ABORT, 'published rows are never changed or erased'); END;
CREATE TRIGGER published_no_replace BEFORE INSERT ON published WHEN EXISTS (SELECT 1 FROM published WHERE id = NEW.id) BEGIN SELECT RAISE(ABORT, 'published rows are never replaced'); END;
CREATE TRIGGER vote_no_update BEFORE UPDATE ON vote BEGIN SELECT RAISE(ABORT, 'vote rows are never changed or erased'); END;
CREATE TRIGGER vote_no_delete BEFORE DELETE ON vote BEGIN SELECT RAISE(ABORT, 'vote rows are never changed or erased'); END;
CREATE TRIGGER vote_no_replace BEFORE INSERT ON vote WHEN EXISTS (SELECT 1 FROM vote WHERE id = NEW.id) BEGIN SELECT RAISE(ABORT, 'vote rows are never replaced'); END;
CREATE TRIGGER decision_no_update BEFORE UPDATE ON decision BEGIN SELECT RAISE(ABORT, 'decision rows are never changed or erased'); END;
CREATE TRIGGER decision_no_delete BEFORE DELETE ON decision BEGIN SELECT RAISE(ABORT, 'decision rows are never changed or erased'); END;
CREATE TRIGGER decision_no_replace BEFORE INSERT ON decision WHEN EXISTS (SELECT 1 FROM decision WHERE id = NEW.id) BEGIN SELECT RAISE(ABORT, 'decision rows are never replaced'); END;
CREATE TRIGGER release_no_delete BEFORE DELETE ON release BEGIN SELECT RAISE(ABORT, 'release rows are never changed or erased'); END;
CREATE TRIGGER head_no_delete BEFORE DELETE ON head BEGIN SELECT RAISE(ABORT, 'head rows are never changed or erased'); END;
CREATE TRIGGER release_no_update BEFORE UPDATE OF id, code, preparer, created_at ON release BEGIN SELECT RAISE(ABORT, 'release rows are never changed or erased'); END;
CREATE TRIGGER policy_no_update BEFORE UPDATE ON policy BEGIN SELECT RAISE(ABORT, 'policy rows are never changed or erased'); END;
CREATE TRIGGER policy_no_delete BEFORE DELETE ON policy BEGIN SELECT RAISE(ABORT, 'policy rows are never changed or erased'); END;
CREATE TRIGGER policy_no_replace BEFORE INSERT ON policy WHEN EXISTS (SELECT 1 FROM policy WHERE id = NEW.id) BEGIN SELECT RAISE(ABORT, 'policy rows are never replaced'); END;
CREATE TRIGGER exception_no_update BEFORE UPDATE ON exception BEGIN SELECT RAISE(ABORT, 'exception rows are never changed or erased'); END;
CREATE TRIGGER exception_no_delete BEFORE DELETE ON exception BEGIN SELECT RAISE(ABORT, 'exception rows are never changed or erased'); END;
CREATE TRIGGER exception_no_replace BEFORE INSERT ON exception WHEN EXISTS (SELECT 1 FROM exception WHERE id = NEW.id) BEGIN SELECT RAISE(ABORT, 'exception rows are never replaced'); END;
CREATE TRIGGER public_key_no_update BEFORE UPDATE ON public_key BEGIN SELECT RAISE(ABORT, 'public_key rows are never changed or erased'); END;
CREATE TRIGGER public_key_no_delete BEFORE DELETE ON public_key BEGIN SELECT RAISE(ABORT, 'public_key rows are never changed or erased'); END;
CREATE TRIGGER public_key_no_replace BEFORE INSERT ON public_key WHEN EXISTS (SELECT 1 FROM public_key WHERE id = NEW.id) BEGIN SELECT RAISE(ABORT, 'public_key rows are never replaced'); END;
CREATE TRIGGER endorsement_no_update BEFORE UPDATE ON endorsement BEGIN SELECT RAISE(ABORT, 'endorsement rows are never changed or erased'); END;
CREATE TRIGGER endorsement_no_delete BEFORE DELETE ON endorsement BEGIN SELECT RAISE(ABORT, 'endorsement rows are never changed or erased'); END;
CREATE TRIGGER endorsement_no_replace BEFORE INSERT ON endorsement WHEN EXISTS (SELECT 1 FROM endorsement WHERE id = NEW.id) BEGIN SELECT RAISE(ABORT, 'endorsement rows are never replaced'); END;
CREATE TRIGGER signature_no_update BEFORE UPDATE ON signature BEGIN SELECT RAISE(ABORT, 'signature rows are never changed or erased'); END;
CREATE TRIGGER signature_no_delete BEFORE DELETE ON signature BEGIN SELECT RAISE(ABORT, 'signature rows are never changed or erased'); END;
CREATE TRIGGER signature_no_replace BEFORE INSERT ON signature WHEN EXISTS (SELECT 1 FROM signature WHERE id = NEW.id) BEGIN SELECT RAISE(ABORT, 'signature rows are never replaced'); END;
CREATE TRIGGER published_column_no_update BEFORE UPDATE ON published_column BEGIN SELECT RAISE(ABORT, 'published_column rows are never changed or erased'); END;
CREATE TRIGGER published_column_no_delete BEFORE DELETE ON published_column BEGIN SELECT RAISE(ABORT, 'published_column rows are never changed or erased'); END;
CREATE TRIGGER published_column_no_replace BEFORE INSERT ON published_column WHEN EXISTS (SELECT 1 FROM published_column WHERE id = NEW.id) BEGIN SELECT RAISE(ABORT, 'published_column rows are never replaced'); END;
CREATE UNIQUE INDEX ledger_once ON ledger (run, coalesce(part, ''));
CREATE TRIGGER ledger_no_update BEFORE UPDATE ON ledger BEGIN SELECT RAISE(ABORT, 'ledger rows are never changed or erased'); END;
CREATE TRIGGER ledger_no_delete BEFORE DELETE ON ledger BEGIN SELECT RAISE(ABORT, 'ledger rows are never changed or erased'); END;
CREATE TRIGGER ledger_no_replace BEFORE INSERT ON ledger WHEN EXISTS (SELECT 1 FROM ledger WHERE id = NEW.id) BEGIN SELECT RAISE(ABORT, 'ledger rows are never replaced'); END;
CREATE TRIGGER sketch_no_update BEFORE UPDATE ON sketch BEGIN SELECT RAISE(ABORT, 'sketch rows are never changed or erased'); END;
CREATE TRIGGER sketch_no_delete BEFORE DELETE ON sketch BEGIN SELECT RAISE(ABORT, 'sketch rows are never changed or erased'); END;
CREATE TRIGGER sketch_no_replace BEFORE INSERT ON sketch WHEN EXISTS (SELECT 1 FROM sketch WHERE id = NEW.id) BEGIN SELECT RAISE(ABORT, 'sketch rows are never replaced'); END;
CREATE TRIGGER overlap_no_update BEFORE UPDATE ON overlap BEGIN SELECT RAISE(ABORT, 'overlap rows are never changed or erased'); END;
CREATE TRIGGER overlap_no_delete BEFORE DELETE ON overlap BEGIN SELECT RAISE(ABORT, 'overlap rows are never changed or erased'); END;
CREATE TRIGGER overlap_no_replace BEFORE INSERT ON overlap WHEN EXISTS (SELECT 1 FROM overlap WHERE id = NEW.id) BEGIN SELECT RAISE(ABORT, 'overlap rows are never replaced'); END;
CREATE TRIGGER separation_no_update BEFORE UPDATE ON separation BEGIN SELECT RAISE(ABORT, 'separation rows are never changed or erased'); END;
CREATE TRIGGER separation_no_delete BEFORE DELETE ON separation BEGIN SELECT RAISE(ABORT, 'separation rows are never changed or erased'); END;
CREATE TRIGGER separation_no_replace BEFORE INSERT ON separation WHEN EXISTS (SELECT 1 FROM separation WHERE id = NEW.id) BEGIN SELECT RAISE(ABORT, 'separation rows are never replaced'); END;
CREATE TRIGGER programme_no_update BEFORE UPDATE ON programme BEGIN SELECT RAISE(ABORT, 'programme rows are never changed or erased'); END;
CREATE TRIGGER programme_no_delete BEFORE DELETE ON programme BEGIN SELECT RAISE(ABORT, 'programme rows are never changed or erased'); END;
CREATE TRIGGER programme_no_replace BEFORE INSERT ON programme WHEN EXISTS (SELECT 1 FROM programme WHERE id = NEW.id) BEGIN SELECT RAISE(ABORT, 'programme rows are never replaced'); END;
COMMIT;
