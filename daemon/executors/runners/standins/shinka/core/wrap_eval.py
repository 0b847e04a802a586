"""The harness that evaluator files of ShinkaEvolve call: runs, validates and aggregates, and writes the two result files."""
import importlib.util
import json
import math
import os
import statistics
import time
import traceback


def load_program(program_path):
    spec = importlib.util.spec_from_file_location("program", program_path)
    if spec is None or spec.loader is None:
        raise ImportError("%s is not a Python module" % program_path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# The two results as they were written last: what the program left running can reach the files.
saved = None


def save_json_results(results_dir, metrics, correct, error=None):
    global saved
    os.makedirs(results_dir, exist_ok=True)
    texts = []
    for name, value in (("metrics.json", metrics), ("correct.json", {"correct": bool(correct), "error": error})):
        texts.append(json.dumps(value, indent=4, default=plain))
        with open(os.path.join(results_dir, name), "w", encoding="utf-8") as file:
            file.write(texts[-1])
    saved = texts


def plain(value):
    """numpy's numbers and arrays as JSON has them; of other things their text."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


def run_shinka_eval(
    program_path,
    results_dir,
    experiment_fn_name,
    num_runs,
    get_experiment_kwargs=None,
    aggregate_metrics_fn=None,
    validate_fn=None,
    plotting_fn=None,
    default_metrics_on_error=None,
    **hurry,
):
    """Answers (metrics, correct, first error). All runs are made, one after the other: `hurry` (run_workers, early_stop_method
    and their like) changes how long it takes and not what comes out. Nothing is plotted, and `extra_data` is not kept."""
    results, times, errors, correct, first = [], [], [], True, None
    invalid = 0
    try:
        program = load_program(program_path)
        experiment = getattr(program, experiment_fn_name, None)
        if experiment is None:
            raise AttributeError("The program has no function %s" % experiment_fn_name)
        for index in range(num_runs):
            arguments = get_experiment_kwargs(index) if get_experiment_kwargs else {"seed": index + 1}
            start = time.perf_counter()
            results.append(experiment(**arguments))
            times.append(time.perf_counter() - start)
            valid, error = validate_fn(results[-1]) if validate_fn else (True, None)
            if valid:
                continue
            correct = False
            invalid += 1
            if error and error not in errors:
                errors.append(error)
                first = first or "Validation failed: %s" % error
        metrics = aggregate_metrics_fn(results) if aggregate_metrics_fn else {"num_successful_runs": len(results)}
        metrics.pop("extra_data", None)
        metrics["execution_time_mean"] = statistics.fmean(times) if times else 0.0
        metrics["execution_time_std"] = statistics.pstdev(times) if times else 0.0
        if validate_fn:
            metrics.update(num_valid_runs=len(results) - invalid, num_invalid_runs=invalid, all_validation_errors=errors)
        score = metrics.get("combined_score")
        if score is not None and not math.isfinite(score):
            correct, first = False, first or "combined_score is %s" % score
    except Exception as error:
        metrics = {"combined_score": 0.0, **(default_metrics_on_error or {})}
        correct, first = False, told(error)
    save_json_results(results_dir, metrics, correct, first)
    return metrics, correct, first


def told(error):
    """With the frames of the program, and without this file's own."""
    report = traceback.TracebackException.from_exception(error)
    hidden = ("<frozen ", os.path.join("/peagen", "peagen_apart"))
    report.stack[:] = [frame for frame in report.stack if frame.filename != __file__ and not frame.filename.startswith(hidden)]
    return "".join(report.format()).strip()
