"""Runs somebody else's evaluator file, unmodified, on one program: `folder.py openevolve|shinka ORDER EVALUATOR`.

ORDER is a JSON file; with the limits of a server as one more argument, it says what the server imports, and each evaluation has
an order of its own (see peagen_fork/server.py). The answer is one line on the real standard output: the word that came on standard input, and JSON.
What the evaluator prints goes to standard error. An exception is an answer too: its traceback is an artifact.

With `apart` in the order, the program runs in a process of its own that was made before the word was read (peagen_apart):
the clock, the comparison and the result channel are then out of its reach. `together` in the answer says why that did not work.
`loads` in the order is how many times the evaluator loads the program, where that is known; `loaded` in the answer is how many times
it did, and there is nothing else in it where that was more.
What the evaluator imports first, both processes share.
"""
import _ast
import os
import sys

from peagen_fork.hidden import set_hidden
from peagen_runner.late_site import LateSite, add_builtins
from peagen_runner.plain_json import dumps, loads

from .late import late

RUNNERS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


async def coroutine():
    pass


waiting = coroutine()
waiting.close()
Coroutine = type(waiting)


def main():
    add_builtins()
    # Behind everything else, so that an installed package comes first.
    LateSite([os.path.join(RUNNERS, "standins")]).install()
    with open(sys.argv[2], encoding="utf-8") as file:
        kind, order = sys.argv[1], loads(file.read())
    evaluator = sys.argv[3]
    forked = len(sys.argv) > 4
    if forked:
        from peagen_fork.server import Server

        server = Server(loads(sys.argv.pop()))
        import_first(evaluator)
        import_usual()
        server.wait()
        order = received()
    # An import that prints must not write to the result channel.
    outward = os.dup(1)
    os.dup2(2, 1)
    order["evaluator"] = evaluator
    if "seed" in order:
        seed_chance(order["seed"])
    apart = None
    is_apart = order["apart"] and order["program"].endswith(".py")
    if is_apart and not forked:
        import_first(evaluator)
    # Before the program's process is made, so that the one that waits for loads is hidden as well.
    set_hidden(True)
    if is_apart:
        from .program import Apart

        apart = Apart(order.get("loads"))
    word = sys.stdin.readline().strip()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    if apart is not None:
        apart.install(order["program"], order["evaluator"])
    sys.path[0] = os.path.dirname(order["evaluator"])
    counted = count_lines(order["lines"]) if order["lines"] else None
    try:
        answer = shinka(order) if kind == "shinka" else openevolve(order)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        message = without_place("%s: %s" % (type(error).__name__, error))
        answer = {"error": message, "artifacts": {"traceback": traceback_of(error)}, "unusable": hasattr(error, "unusable")}
    if apart is not None and apart.too_often:
        answer = {"loaded": apart.loaded}
    elif apart is not None and apart.together is not None:
        answer = {"together": apart.together}
    elif apart is not None:
        answer.update({"loaded": apart.loaded, "doubted": apart.doubted})
    if counted is not None:
        answer["lines"] = counted()
    line = "%s %s\n" % (word, dumps(answer))
    data = line.encode("utf-8", "replace")
    while data:
        data = data[os.write(outward, data):]
    # Threads that the evaluator left running must not hold up the answer.
    os._exit(0)


def received():
    """Reads the order of this evaluation, and no more, and makes its files."""
    order = loads(exactly(int(exactly(13))).decode())
    for file in order.pop("files"):
        os.makedirs(os.path.dirname(file["path"]), exist_ok=True)
        with open(file["path"], "w", encoding="utf-8", newline="") as out:
            out.write(file["text"])
    if "seed" in order:
        os.environ["PEAGEN_SEED"] = str(order["seed"])
    elif "numpy.random" in sys.modules:
        # The generator of random seeds itself after a fork, this one does not.
        sys.modules["numpy.random"].seed()
    return order


def exactly(count):
    data = b""
    while len(data) < count:
        more = os.read(0, count - len(data))
        if not more:
            os._exit(1)
        data += more
    return data


def count_lines(files):
    """In this process and in the interpreters that it starts; returns what ends it and gives the counts."""
    from peagen_runner.lines import LineCounter

    site, found = (os.path.join(os.getcwd(), name) for name in ("lines-site", "lines"))
    os.makedirs(site)
    os.makedirs(found)
    with open(os.path.join(RUNNERS, "peagen_runner", "lines.py"), "rb") as own, open(os.path.join(site, "sitecustomize.py"), "wb") as copy:
        copy.write(own.read())
    os.environ.update({"PEAGEN_LINES": found, "PEAGEN_LINES_OF": "\n".join(files), "PYTHONPATH": site})
    counter = LineCounter(files)

    def counted():
        lines = counter.stop()
        for name in sorted(os.listdir(found)):
            with open(os.path.join(found, name), encoding="utf-8") as file:
                lines += loads(file.read())["lines"]
        return lines

    counter.start()
    return counted


def import_first(evaluator):
    """Imports what the evaluator's file begins with: what takes long to import is then imported once for both processes.

    It ends before the first statement of another kind, which may set what later imports go by, and before the first import of
    a file of the evaluator's folder, which no program may see.
    """
    own_names = {entry.partition(".")[0] for entry in os.listdir(os.path.dirname(evaluator))}
    place = sys.path.pop(0)
    try:
        for statement in compile(open(evaluator, "rb").read(), evaluator, "exec", _ast.PyCF_ONLY_AST, True).body:
            if isinstance(statement, _ast.Expr) and isinstance(statement.value, _ast.Constant):
                continue
            if isinstance(statement, _ast.Import):
                names = [alias.name for alias in statement.names]
            elif isinstance(statement, _ast.ImportFrom) and statement.level == 0:
                names = [statement.module]
            else:
                break
            if any(name.partition(".")[0] in own_names for name in names):
                break
            exec(compile(_ast.Module([statement], []), evaluator, "exec"), {})
    except (Exception, SystemExit):
        # The evaluator fails in the same way when its turn comes, and says so.
        pass
    finally:
        sys.path.insert(0, place)


def import_usual():
    """Imports what most evaluations get to, which takes longer than a fork: with numpy its generators, which come when first used."""
    for name in ("importlib.util", "importlib.machinery", "traceback", "hashlib", "peagen_apart.program"):
        late(name)
    if "numpy" in sys.modules:
        late("numpy.random")


def seed_chance(seed):
    """Of this process and of those that it forks. A program that seeds itself does what it wants."""
    import random

    random.seed(seed)
    try:
        import numpy

        numpy.random.seed(seed)
    except Exception:
        # It is not installed, or is another one.
        pass


def unusable(error):
    """Says that the evaluator's own file is at fault: no program makes it work."""
    error.unusable = True
    return error


def traceback_of(error):
    """Without frames of this file and of the import system, its paths as the user knows them."""
    report = late("traceback").TracebackException.from_exception(error)
    left = [report]
    own = (__file__, os.path.join(os.path.dirname(__file__), "program.py"), os.path.join(RUNNERS, "folder.py"))
    while left:
        one = left.pop()
        one.stack[:] = [frame for frame in one.stack if frame.filename not in own and not frame.filename.startswith("<frozen ")]
        left += [other for other in (one.__cause__, one.__context__) if other is not None]
    return without_place("".join(report.format()))[-8000:]


def without_place(text):
    for place in (sys.path[0], os.getcwd()):
        text = text.replace(place + os.sep, "")
    return text


def openevolve(order):
    try:
        module = load(order["evaluator"])
    except Exception as error:
        raise unusable(error)
    program = order["program"]
    stages = [getattr(module, "evaluate_stage%d" % number, None) for number in (1, 2, 3)]
    if not order["cascade"] or stages[0] is None:
        if not hasattr(module, "evaluate"):
            raise unusable(AttributeError("%s has no function evaluate(program_path)" % os.path.basename(order["evaluator"])))
        return run_stage(module.evaluate, program)
    merged = {"metrics": {}, "artifacts": {}, "stage": 0}
    for number, stage in enumerate(stages, 1):
        if stage is None:
            break
        try:
            result = run_stage(stage, program)
        except Exception as error:
            if number == 1:
                raise
            merged["artifacts"]["stage%d_traceback" % number] = traceback_of(error)
            merged["metrics"]["stage%d_passed" % number] = 0.0
            merged["note"] = "stage %d: %s: %s" % (number, type(error).__name__, error)
            break
        merged["metrics"].update(result["metrics"])
        merged["artifacts"].update(result["artifacts"])
        merged["stage"] = number
        if "wrong" in result:
            merged["wrong"] = result["wrong"]
            break
        thresholds = order["thresholds"]
        limit = thresholds[number - 1] if number <= len(thresholds) else None
        if limit is not None and score_of(merged["metrics"], order["features"]) < limit:
            break
    return merged


def run_stage(evaluate, program):
    result = evaluate(program)
    if type(result) is Coroutine:
        result.close()
        raise unusable(TypeError("evaluate is a coroutine; it must be an ordinary function that returns its metrics"))
    metrics = result if isinstance(result, dict) else getattr(result, "metrics", None)
    if not isinstance(metrics, dict):
        raise TypeError("evaluate returned %s; it must return a dict or an EvaluationResult" % type(result).__name__)
    artifacts = {} if isinstance(result, dict) else dict(getattr(result, "artifacts", None) or {})
    answer = {"metrics": numbers(metrics), "artifacts": {str(name): text_of(value) for name, value in artifacts.items()}}
    # The mean of the others would be another score than the one that it meant.
    if "combined_score" in metrics and "combined_score" not in answer["metrics"]:
        answer["wrong"] = "combined_score is %s, which is not a score." % (metrics["combined_score"],)
    return answer


def numbers(metrics):
    """Booleans and texts are kept out; numpy's numbers become ordinary ones."""
    found = {}
    for name, value in metrics.items():
        if isinstance(value, (bool, str, bytes)) or value is None:
            continue
        try:
            number = float(value)
        except (TypeError, ValueError):
            continue
        if type(value).__name__ in ("bool_", "bool"):
            continue
        if number == number and number not in (float("inf"), float("-inf")):
            found[str(name)] = number
    return found


def score_of(metrics, features):
    if "combined_score" in metrics:
        return metrics["combined_score"]
    values = [value for name, value in metrics.items() if name not in features]
    return sum(values) / len(values) if values else 0.0


def text_of(value):
    return (value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value))[:20000]


def load(path):
    util = late("importlib.util")
    spec = util.spec_from_file_location("evaluation_module", path)
    module = util.module_from_spec(spec)
    sys.modules["evaluation_module"] = module
    spec.loader.exec_module(module)
    return module


def harness():
    """The one that comes with us, where the evaluator has imported it."""
    module = sys.modules.get("shinka.core.wrap_eval")
    return module if hasattr(module, "saved") else None


def shinka(order):
    results = os.path.join(os.getcwd(), "results")
    os.makedirs(results, exist_ok=True)
    sys.argv = [order["evaluator"], "--program_path", order["program"], "--results_dir", results]
    files = [os.path.join(results, name) for name in ("metrics.json", "correct.json")]

    def heard(event, args):
        # The evaluator writes one of them itself.
        path = args[1] if event == "os.rename" else args[0] if event == "open" else None
        if isinstance(path, (str, bytes)) and harness() and os.path.abspath(os.fsdecode(path)) in files:
            harness().saved = None

    sys.addaudithook(heard)
    try:
        late("runpy").run_path(order["evaluator"], run_name="__main__")
    except SystemExit as end:
        if end.code not in (None, 0):
            raise RuntimeError("the evaluator ended with status %s" % end.code)
    saved = harness() and harness().saved
    metrics, correct = [late("json").loads(text) for text in saved or [open(file, encoding="utf-8").read() for file in files]]
    public = metrics.get("public") if isinstance(metrics.get("public"), dict) else {}
    feedback = metrics.get("text_feedback")
    answer = {
        "metrics": numbers({**public, "combined_score": metrics.get("combined_score")}),
        "artifacts": {"text_feedback": text_of(feedback)} if feedback else {},
    }
    if not correct.get("correct", False):
        answer["wrong"] = without_place(str(correct.get("error") or "the evaluator calls it incorrect"))
    elif "combined_score" not in answer["metrics"]:
        answer["wrong"] = "combined_score is %s, which is not a score." % (metrics.get("combined_score"),)
    return answer

