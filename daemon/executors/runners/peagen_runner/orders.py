"""The runner's life: orders in, answers out."""
import os
import sys
import time

from .calls import Raised, called, describe_error, drained, peak_bytes, random_seed, revealed, settle, target_of
from .channel import cpu_limit, cpu_rotation, take_channel, waiting_clock
from .plain_json import loads as json_loads
from .program import Program
from .values import Before, packed, unpacked, untagged

EVERYDAY = "def f(a, b=0):\n    for c in a:\n        if b < c[0]:\n            b += 1\n    return [d for d in a]\n"

# The first compilation takes longer than all that follow: this one is not counted.
compile(EVERYDAY, "<none>", "exec", dont_inherit=True)


def main():
    receive, send = take_channel()
    # Bound before the candidate exists: replacing them in their modules changes nothing here.
    clock, cpu_clock, loads, dumps = time.perf_counter_ns, time.process_time_ns, unpacked, packed
    from_json, exit_now, error_text = json_loads, os._exit, describe_error
    values_of, shown, remember, drain, failed, peak, rest = untagged, revealed, Before, drained, Raised, peak_bytes, settle
    call, chance, load, made = called, random_seed, Program, target_of
    next_cpu, waited = cpu_rotation(), waiting_clock()

    def cut():
        send({"cut": 1})
        exit_now(0)

    def came(result):
        return {"raised": type(result.error).__name__} if isinstance(result, failed) else shown(result)

    limit_cpu = cpu_limit(cut)
    program = effects = None
    batch = []
    finished = []
    send({"ready": 1})
    while True:
        line = receive()
        if not line:
            exit_now(0)
        order = from_json(line.decode())
        op = order["op"]
        answer = {}
        try:
            if op == "load":
                if effects is not None:
                    effects.close()
                    effects = None
                if program is not None:
                    program.forget()
                if order.get("effects"):
                    from .effects import Effects

                    effects = Effects()
                program = load(order, cut)
                if effects is not None:
                    program.made = effects.made
                    # What was written so far is the program itself.
                    effects.writes = False
                program.fresh()
                if effects is not None:
                    effects.watch(program)
            elif op == "pin":
                next_cpu(order["processor"])
            elif op == "settle":
                if effects is not None:
                    effects.close()
                    program.made = effects = None
                rest()
            elif op == "call":
                earlier = []
                arguments, target = values_of(order), made(program, order, lambda result: earlier.append(came(result)))
                program.used = True
                data = dumps(arguments)
                arguments = loads(data)
                # Bytes may have become a bytearray.
                before = remember(data, arguments, quick=b'{"bytes":' not in line)
                seed = chance()
                if seed is not None:
                    seed(0)
                if effects is not None:
                    effects.before(order)
                if program.counter is None:
                    limit_cpu(order.get("cpu_ms", 0))
                    result, awaited = call(target, arguments)
                    limit_cpu(0)
                    answer = shown(result)
                else:
                    program.counter.start()
                    result, awaited = call(target, arguments)
                    answer = program.counter.stop()
                    answer.update(shown(result))
                if awaited:
                    answer["awaited"] = True
                if earlier:
                    answer["earlier"] = earlier
                after = before.changed(arguments)
                if after is not None:
                    answer["args"] = after
                if effects is not None:
                    answer.update(effects.after())
                    shared = effects.sharing(None if isinstance(result, failed) else result, [*arguments[0], *arguments[1].values()])
                    if shared is not None:
                        answer["shared"] = shared
            elif op == "state":
                answer = effects.last()
                if program.counter is not None:
                    answer["spent"] = program.counter.spent
            elif op == "spent":
                answer = {"spent": program.counter.spent}
            elif op == "prepare":
                # Everything that is not the candidate's own work is done before the clock starts.
                if "check" in order:
                    answer = {"outputs": [shown(finished[index][number]) for index, number in order["check"]]}
                if "calls" in order:
                    program.calls = order["calls"]
                    program.blob = dumps([values_of(one) for one in program.calls])
                next_cpu()
                batch, finished = [], []
                if "collect" in order:
                    settle()
                for _ in range(order["passes"]):
                    program.unused()
                    targets = [made(program, one) for one in program.calls]
                    batch.extend((target, args, kwargs) for target, (args, kwargs) in zip(targets, loads(program.blob)))
            elif op == "go":
                seed = chance()
                results = []
                usual = len(program.calls)
                calls = batch[: order["passes"] * usual] if "passes" in order else batch
                cpu = cpu_clock()
                wall = clock()
                waits = waited()
                for target, args, kwargs in calls:
                    if seed is not None:
                        seed(0)
                    try:
                        results.append(drain(target(*args, **kwargs)))
                    except Exception as error:
                        results.append(failed(error))
                waits = waited() - waits
                answer = {"wall_ns": clock() - wall, "cpu_ns": cpu_clock() - cpu, "waited_ns": waits}
                finished = [results[at : at + usual] for at in range(0, len(results), usual)]
            elif op == "end":
                exit_now(0)
            elif op == "keep":
                finished = [finished[order["pass"]]]
            elif op == "reveal":
                answer = {"outputs": [shown(finished[0][number]) for number in order["calls"]]}
            elif op == "memory":
                answer = {"peak_bytes": peak(program, order["calls"])}
        except MemoryError:
            answer = {"memory": 1}
        except BaseException as error:
            answer = {"error": error_text(error)}
        answer["id"] = order["id"]
        send(answer)


def serve():
    """Returns in a process of its own for each program."""
    import traceback

    from peagen_fork.server import serve

    from .effects import Effects

    serve()
