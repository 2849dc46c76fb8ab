"""The phases of the commands that interrupts.py ends: how each is entered, and by which words."""

from dataclasses import dataclass

LARGE = "kip-320 -c replicas=5 -c log_size=6 -c max_records=6 -c max_leader_epoch=5"
SMALL = "-c replicas=2 -c log_size=2 -c max_records=2 -c max_leader_epoch=2"
LOSES = "truncate-to-high-watermark -c log_size=2 -c max_records=2 -c max_leader_epoch=2"
SEARCH = "isrcheck.engines.native.workers:WorkerPool.run_over"
SECONDS = "--max-seconds 10"  # of which a tenth is a second


@dataclass(frozen=True)
class Phase:
    """A phase of a command. `limit` are the words that limit its time; without them it has no limit."""

    command: str
    name: str
    begins: str
    words: str
    limit: str = SECONDS
    after: float = 0.0  # seconds of the phase before it is to end: what grows meanwhile has to be given back
    before: str = ""  # a command that makes what this one reads

    @property
    def limit_seconds(self) -> float:
        return float(self.limit.split()[-1].rstrip("s")) if self.limit else 0.0

    @property
    def title(self) -> str:
        return f"{self.command}: {self.name}"


CODE = "isrcheck.engines.native.codegen:program"
READ = "isrcheck.lang.read:read_model"
LOWER = "isrcheck.passes.scalarize:Scalarizer.system"
REPLAY = "isrcheck.run.replay:replay"
SECOND = "isrcheck.engines.native.search:NativeSearch.run#2"
SPARK = "--engine spark --master local[2]"
LASTING = "check big.py:Lasting --property empties --no-vacuity"
RISK = "risk --no-cache --replication-factor 2 --min-isr 1 --acks 1"
STEPS = "controller_elects_leader;replica_becomes_leader;leader_writes;leader_writes"
RUN = "runs/s20-elr-BA-1"
TRACED = f"check {LOSES} --trace-dir traces --no-vacuity"
TRACE = f"traces/{LOSES.split()[0]}-weak_isr.json"
PHASES = (
    Phase("check", "reading", f"{READ}*200", "check kip-320"),
    Phase("check", "binding", "isrcheck.passes:bind*100", f"check {LARGE}"),
    Phase("check", "lowering", LOWER, f"check {LARGE}"),
    Phase("check", "lowering, 12 replicas", LOWER, "check kip-320 -c replicas=12", after=10),
    Phase("check", "generating code", CODE, f"check {LARGE}"),
    Phase("check", "generating code, 7 replicas", CODE, "check kip-320 -c replicas=7", after=10),
    Phase("check", "LLVM, quick", "isrcheck.engines.native.compile:object_code*50", f"check {LARGE}"),
    Phase(
        "check",
        "LLVM, optimizing",
        "isrcheck.engines.native.compile:_compile_elsewhere",
        f"check {LARGE} --disk states",
    ),
    Phase(
        "check",
        "LLVM, with --max-memory",
        "isrcheck.engines.native.compile:object_code",
        f"check {LARGE} --max-memory 8G",
    ),
    Phase("check", "loading code", "isrcheck.engines.native.compile:Code.__init__*50", f"check {LARGE}"),
    Phase(
        "check",
        "optimized code for the search",
        "isrcheck.engines.native.lowered:TieredMachine.load",
        "check kip-320 -c log_size=3 -c max_records=3 -c max_leader_epoch=3",
    ),
    Phase("check", "searching", f"{SEARCH}#30", "check big.py:Big"),
    Phase("check", "searching a large model", f"{SEARCH}#12", f"check {LARGE}"),
    Phase("check", "searching, 3 workers", f"{SEARCH}#30", "check big.py:Big --workers 3"),
    Phase("check", "searching, symmetry", f"{SEARCH}#12", f"check {LARGE} --symmetry"),
    Phase("check", "searching on disk", f"{SEARCH}#30", "check big.py:Big --disk states"),
    Phase(
        "check",
        "searching, reference",
        "isrcheck.engines.reference.engine:search",
        "check big.py:Big --engine reference",
    ),
    Phase(
        "check", "searching, evaluator", "isrcheck.engines.explore:Explorer.run", "check big.py:Big --engine evaluator"
    ),
    Phase(
        "check",
        "searching, symbolic",
        "isrcheck.engines.symbolic.unroll:ask#20",
        "check kip-101 --engine symbolic --max-depth 60 -c replicas=4 --property log_matching",
    ),
    Phase(
        "check",
        "encoding, symbolic",
        "isrcheck.engines.symbolic.engine:search",
        f"check {LARGE} --engine symbolic --max-depth 9",
    ),
    Phase(
        "check",
        "starting Spark",
        "isrcheck.engines.spark.session:_start",
        "check big.py:Big --engine spark --master local[2]",
    ),
    Phase(
        "check",
        "searching, Spark",
        "isrcheck.engines.spark.engine:SparkSearch._commit",
        "check big.py:Big --engine spark --master local[2]",
    ),
    Phase(
        "check", "handing over to Spark", "isrcheck.engines.spark.handover:write_levels", f"check big.py:Big {SPARK}"
    ),
    Phase(
        "check",
        "searching, Spark, with a violation",
        "isrcheck.engines.spark.engine:SparkSearch._commit#3",
        f"check big.py:Full {SPARK}",
    ),
    Phase(
        "check",
        "finding a trace, Spark",
        "isrcheck.engines.spark.cluster:Spark.for_buckets",
        f"check big.py:Full --property below_twelve {SPARK}",
    ),
    Phase(
        "check",
        "reading a checkpoint",
        "isrcheck.engines.spark.handover:verify",
        f"check big.py:Big {SPARK} --resume levels",
        before=f"check big.py:Big {SPARK} --max-depth 11 --checkpoint levels",
    ),
    Phase(
        "check",
        "reading what --disk keeps",
        "isrcheck.engines.native.disk.directory:DiskDirectory.load",
        "check big.py:Big --disk states",
        before="check big.py:Big --disk states --max-states 3000000",
    ),
    Phase(
        "check",
        "finding a trace on disk",
        "isrcheck.engines.native.disk.trace:DiskTracer.paths",
        "check big.py:Full --property below_twelve --disk states",
    ),
    Phase("check", "proving symmetry", "isrcheck.engines.common.symmetry:symmetric*100", f"check {LARGE} --symmetry"),
    Phase("check", "trying symmetry", "isrcheck.engines.common.symmetry:check_graph*20", f"check {LARGE} --symmetry"),
    Phase(
        "check",
        "canonical form",
        "isrcheck.run.canonical:check_form*100",
        "check forever-partition-kip-16-merged -c endless=true",
    ),
    Phase("check", "searching behaviours", SECOND, f"{LASTING} -c places=7"),
    Phase(
        "check",
        "writing behaviours",
        "isrcheck.engines.native.behaviours.graph:_GraphWriter._write",
        f"{LASTING} -c places=7",
    ),
    Phase(
        "check",
        "looking for cycles",
        "isrcheck.engines.native.behaviours.lassos:_Search._call#2",
        f"{LASTING} -c places=7",
    ),
    Phase(
        "check",
        "looking for cycles, reference",
        "isrcheck.liveness.naive:find_lasso",
        f"{LASTING} -c places=4 --engine reference",
    ),
    Phase("check", "shortest cycle", "isrcheck.liveness.naive:ShortestLasso.shorten*2000", f"{LASTING} -c places=3"),
    Phase("check", "replaying a cycle", "isrcheck.run.lassos:LassoReplay.trace*200", f"{LASTING} -c places=3"),
    Phase(
        "check",
        "symbolic constants",
        "isrcheck.engines.symbolic.engine:search_choices",
        "check kip-320 --engine symbolic -c log_size=2..4 --max-depth 9",
    ),
    Phase("check", "finding a trace", "isrcheck.engines.native.trace:NativeTracer.paths*30", f"check {LOSES}"),
    Phase("check", "replaying", f"{REPLAY}*50", f"check {LOSES}"),
    Phase("check", "digest", "isrcheck.engines.native.search:NativeSearch.digest_of*200", "check kip-320"),
    Phase("check", "vacuity", "isrcheck.run.vacuity:_VacuitySearch.search*50", "check kip-320 --strict"),
    Phase(
        "check",
        "writing a certificate",
        "isrcheck.run.save:save_states*50",
        "check kip-320 --certificate kept",
    ),
    Phase("check", "printing", "isrcheck.evidence.outcome_document:outcome_document*2000", "check kip-320"),
    Phase("simulate", "lowering", LOWER, f"simulate {LARGE}"),
    Phase("simulate", "walking", f"{SEARCH}#3", "simulate big.py:Big --walks 1000000000"),
    Phase("simulate", "replaying", f"{REPLAY}*50", f"simulate {LOSES}"),
    Phase("prove", "reading", f"{READ}*200", "prove kip-320"),
    Phase(
        "prove",
        "obligations",
        "isrcheck.proofs.obligations:Obligations.__init__*30",
        "prove kip-320",
    ),
    Phase(
        "prove",
        "small instances",
        "isrcheck.proofs.prover:Prover._search_defaults",
        "prove kip-320",
    ),
    Phase("prove", "solving", "isrcheck.proofs.prover:Prover._answer#5", "prove kip-320"),
    Phase("compare", "reading", f"{READ}*100", f"compare kip-101 kip-279 {SMALL}", limit=""),
    Phase("compare", "matrix", "isrcheck.compare.matrix:run_cells", "compare grid.toml", limit=""),
    Phase("compare", "matrix with a limit", "isrcheck.compare.matrix:run_cells", f"compare {LARGE} kip-279", limit=""),
    Phase(
        "distinguish",
        "distinguishing schedule",
        "isrcheck.schedule.distinguish:DistinguishingSearch.run",
        f"distinguish kip-101 kip-279 --property weak_isr {SMALL}",
    ),
    Phase("gate", "reading", "isrcheck.gate.cells:cells*200", "gate big.toml", limit=""),
    Phase("gate", "runs", "isrcheck.gate.run:GateRunner._run", "gate big.toml --workers 2", limit="--budget 10000s"),
    Phase(
        "mutate", "making mutants", "isrcheck.gate.mutants.make:mutants_of*50", "mutate kip-320 --no-cache", limit=""
    ),
    Phase("mutate", "the original", SEARCH, "mutate big.py:Big"),
    Phase("mutate", "mutants", "isrcheck.gate.mutants.survey:_outcomes#5", "mutate kip-320 --all --no-cache", limit=""),
    Phase(
        "mutate",
        "mutants, 2 workers",
        "isrcheck.gate.mutants.survey:through",
        "mutate kip-320 --workers 2 --all --no-cache",
        limit="",
    ),
    Phase("risk", "reading", f"{READ}*50", "risk --no-cache"),
    Phase("risk", "lowering", LOWER, "risk --no-cache --replication-factor 5"),
    Phase("risk", "searching", f"{SEARCH}#30", "risk --no-cache"),
    Phase("risk", "searching a wider ring", SECOND, RISK),
    Phase("risk", "side by side", SECOND, "risk --no-cache --replication-factor 2 --acks 1 --vary min-isr=1,2"),
    Phase("risk", "replaying", f"{REPLAY}*50", RISK),
    Phase("risk", "advice", "isrrisk.advice:advise", RISK),
    Phase("schedule", "reading", f"{READ}*50", f"schedule -e {STEPS} kip-320", limit=""),
    Phase("schedule", "walking", "isrcheck.schedule.walk:Walk._expand#20", f"schedule -e {STEPS} {LARGE}"),
    Phase(
        "schedule",
        "explaining a refusal",
        "isrcheck.schedule.pair:nearest_refusal*200",
        f"schedule -e {STEPS};{STEPS} kip-320",
    ),
    Phase("explore", "states", "isrcheck.evidence.explorer.page:nearby*50", "explore kip-320", limit=""),
    Phase("explore", "page", "isrcheck.evidence.explorer.page:file_page*200", "explore kip-320", limit=""),
    Phase(
        "explore",
        "following a trace",
        "isrcheck.run.replay:path_to_verdict*50",
        f"explore {TRACE}",
        limit="",
        before=TRACED,
    ),
    Phase(
        "compare",
        "writing a report",
        "isrcheck.evidence.report.folder:write_report*50",
        f"compare {LOSES} --to report -o report",
        limit="",
    ),
    Phase(
        "export", "states", "isrcheck.evidence.graph.explored:explore*200", f"export kip-320 --to dot {SMALL}", limit=""
    ),
    Phase("export", "TLA+", "isrcheck.commands.export:to_tla*50", "export kip-320 --to tla -o tla", limit=""),
    Phase(
        "export", "Parquet", f"{SEARCH}#30", "export big.py:Big --to parquet -o graph --max-states 1000000000", limit=""
    ),
    Phase(
        "export",
        "grouping",
        "isrcheck.evidence.graph.views:quotient*100",
        f"export kip-320 --to dot {SMALL} --by isr",
        limit="",
    ),
    Phase(
        "export",
        "drawing",
        "isrcheck.evidence.graph.table:lay_out*20",
        "export big.py:Big --to svg -c places=2 -o big.svg",
        limit="",
    ),
    Phase(
        "export",
        "writing Parquet",
        "isrcheck.pipeline.dataset:_write_files",
        "export big.py:Big --to parquet -c places=6 -o graph",
        limit="",
    ),
    Phase(
        "render",
        "drawing",
        "isrcheck.evidence.forms.table:render_trace*200",
        f"render {TRACE} --to svg -o trace.svg",
        limit="",
        before=TRACED,
    ),
    Phase(
        "render",
        "what follows",
        "isrcheck.evidence.follow:add_steps_that_follow*50",
        f"render {TRACE} --to svg -o trace.svg",
        limit="",
        before=TRACED,
    ),
    Phase("list", "reading", f"{READ}*20", "list kip-320", limit=""),
    Phase("sweep", "starting Spark", "isrcheck.engines.spark.session:_start", "sweep sweep.toml --out out", limit=""),
    Phase("sweep", "cells", "isrcheck.pipeline.run:SparkPool.rows", "sweep sweep.toml --out out", limit=""),
    Phase("sweep", "planning", "isrcheck.pipeline.sweep:plan*200", "sweep sweep.toml --out out --dry-run", limit=""),
    Phase("observe", "starting Spark", "isrcheck.engines.spark.session:_start", f"observe {RUN}", limit=""),
    Phase("observe", "reading lines", "isrlogs.observe.table:write_table", f"observe {RUN}", limit=""),
    Phase("observe", "rules", "isrlogs.observe.judged:find_broken_rules", f"observe {RUN} --rules", limit=""),
    Phase("code", "reading", f"{READ}*200", "code kraft-4.3 --release 4.4.0", limit=""),
    Phase(
        "check",
        "asking Kafka's classes",
        "isrbrokers.classes.harness:Harness.ask",
        "check kraft-4.3 -c elr=false --controller-jars stubs",
    ),
    Phase("code", "asking", "isrbrokers.classes.harness:Harness.ask", "code kraft-4.3 --jars stubs"),
    Phase("conform", "reading", "isrlogs.conform.reading:events_of*20", f"conform {RUN} --model kraft-4.1", limit=""),
    Phase("conform", "searching", "isrlogs.conform.search:Search._arrive#9", f"conform {RUN} --model kraft-3.7"),
    Phase(
        "conform",
        "searching on Spark",
        "isrlogs.conform.spread:judge_on_spark",
        "conform events --model kraft-3.7",
        limit="",
        before=f"observe {RUN} --out events",
    ),
    Phase("lsp", "waiting", "isrcheck.editor.server.app:EditorServer.start_io", "lsp", limit=""),
    Phase("lsp", "reading", "isrcheck.editor.server.documents:Readers._send_request", "lsp", limit=""),
    Phase(
        "recheck",
        "states",
        "isrcheck.lang.subject:Subject.steps#9",
        "recheck kip-320 kept",
        limit="",
        before="check kip-320 --certificate kept",
    ),
    Phase(
        "recheck",
        "proofs",
        "isrcheck.proofs.recheck:_ask*200",
        "recheck toy-queue kept/order_is_kept",
        limit="",
        before="prove toy-queue --certificate kept",
    ),
)
