# SPDX-License-Identifier: Apache-2.0
"""The search: Optuna suggests points, a source returns their outcomes, and a study stores them."""

import json
import random
import threading
import warnings

import optuna
from optuna.trial import TrialState

from .bands import Banded, front_of
from .names import FOLDER, BadRequest

optuna.logging.set_verbosity(optuna.logging.ERROR)

PATIENCE = 5  # consecutive repeated suggestions before a point is drawn among those not yet evaluated
VIOLATED = 1e300  # for a point without numbers: every constraint is violated


def sampler_of(name, seed, trials, jobs=1, constrained=False):
    """Returns a sampler with Optuna's defaults except for these, which README.md justifies."""
    constraints = (lambda trial: trial.user_attrs["excesses"]) if constrained else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        if name == "nsga2":
            return optuna.samplers.NSGAIISampler(seed=seed, population_size=min(50, max(8, trials // 5)),
                                                 constraints_func=constraints)
        return optuna.samplers.TPESampler(seed=seed, multivariate=True, n_startup_trials=max(10, trials // 5),
                                          constant_liar=jobs > 1, constraints_func=constraints)


class Search:
    """`source(texts)` returns the Outcome of a point; the study may be new or continue an earlier one.
    `report(search)` is called after every point."""

    def __init__(self, study, space, goal, source, seed):
        self.study, self.space, self.goal, self.source = study, space, goal, source
        self.random = random.Random(seed)
        self.lock = threading.Lock()
        self.seen, self.evaluated, self.repeats, self.stop = set(), 0, 0, None
        for trial in study.get_trials(deepcopy=False):
            if trial.state == TrialState.RUNNING:  # left by a search that was killed
                study.tell(trial.number, state=TrialState.FAIL)
            elif "outcome" in trial.user_attrs:
                self.seen.add(self.key(trial.user_attrs["texts"]))
                self.evaluated += trial.user_attrs["outcome"] != "filtered"

    def key(self, texts):
        return tuple(texts[path] for path in self.space.paths)

    def run(self, trials, jobs, report=lambda search: None):
        self.open, self.trials, self.report = 0, trials, report
        workers = [threading.Thread(target=self.work, daemon=True) for _ in range(jobs)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        if self.stop:
            raise self.stop

    def work(self):
        try:
            while True:
                with self.lock:
                    if self.stop or self.evaluated + self.open >= self.trials:
                        return
                    trial, texts = self.ask()
                    if trial is None:
                        return
                    self.open += 1
                outcome = self.source(texts)
                with self.lock:
                    self.open -= 1
                    self.tell(trial, texts, outcome)
                    self.report(self)
        except Exception as error:  # passed to the caller of run()
            self.stop = self.stop or error

    def ask(self):
        """Returns a suggestion that has not been evaluated; (None, None) when there is none left."""
        for attempt in range(100 * PATIENCE):
            if len(self.seen) >= self.space.size():
                return None, None
            if attempt and attempt % PATIENCE == 0:
                self.study.enqueue_trial(self.unseen())
            trial = self.study.ask()
            texts = self.space.suggest(trial)
            if self.key(texts) not in self.seen:
                self.seen.add(self.key(texts))
                trial.set_user_attr("texts", texts)
                return trial, texts
            # Its result is already in the study.
            self.repeats += 1
            self.study.tell(trial, state=TrialState.FAIL)
        raise BadRequest("the sampler only suggests points that have been evaluated; expected another --sampler or --seed")

    def unseen(self):
        while True:
            draw = optuna.trial.FixedTrial({})
            draw.suggest_int = lambda name, low, high: self.note(name, self.random.randint(low, high))
            draw.suggest_categorical = lambda name, choices: self.note(name, self.random.choice(choices))
            draw.suggest_float = lambda name, low, high, log: self.note(name, self.random.uniform(low, high))
            self.drawn = {}
            if self.key(self.space.suggest(draw)) not in self.seen:
                return self.drawn

    def note(self, name, value):
        self.drawn[name] = value
        return value

    def tell(self, trial, texts, outcome):
        if outcome.state == "done":
            values, excesses = self.goal.values(outcome.measures), self.goal.excesses(outcome.measures)
            trial.set_user_attr("bands", [[value.low, value.high] for value in values])
            trial.set_user_attr("constrained", self.goal.constrained(outcome.measures))
            trial.set_user_attr("by_workload", [{workload: value.value for workload, value in self.goal.values_by_workload(
                term, outcome.measures).items()} for term in self.goal.objectives])
        else:
            values, excesses = None, [VIOLATED] * len(self.goal.constraints)
        trial.set_user_attr("outcome", outcome.state)
        trial.set_user_attr("reason", outcome.reason)
        trial.set_user_attr("parameters", outcome.parameters)
        trial.set_user_attr("excesses", excesses)
        self.evaluated += outcome.state != "filtered"
        if values:
            self.study.tell(trial, [value.value for value in values])
        else:
            # A single-objective sampler ranks pruned trials without a value last; a multi-objective one does not.
            worst = len(self.goal.objectives) == 1
            self.study.tell(trial, state=TrialState.PRUNED if worst else TrialState.FAIL)

    def finished(self):
        """Returns the trials with values, in order."""
        return self.study.get_trials(states=(TrialState.COMPLETE,))

    def reasons(self):
        """Returns why points failed, in order."""
        return [trial.user_attrs["reason"] for trial in self.study.get_trials(deepcopy=False)
                if trial.user_attrs.get("outcome") == "failed"]

    def best(self):
        """Returns the Pareto front of the trials that satisfy the constraints (bands.front_of)."""
        legal = [trial for trial in self.finished() if is_legal(trial)]
        return [legal[at] for at in front_of([banded_values(trial) for trial in legal], self.goal.mores())]


def is_legal(trial):
    return all(excess <= 0 for excess in trial.user_attrs["excesses"])


def banded_values(trial):
    return [Banded(value, *ends) for value, ends in zip(trial.values, trial.user_attrs["bands"])]


def directions_of(goal):
    return ["maximize" if more else "minimize" for more in goal.mores()]


def open_study(storage, goal, space):
    study = optuna.create_study(study_name="optimise", storage=storage, load_if_exists=True, directions=directions_of(goal))
    asked = json.loads(json.dumps({"minimise": goal.texts, "subject to": [c.text for c in goal.constraints], "weight": goal.weights,
                                   "sweep": {**space.fixed(), "axes": space.sweep["axes"],
                                             "where": space.sweep.get("where")}}))
    for key, value in asked.items():
        known = study.user_attrs.get(key, value)
        if known != value:
            raise BadRequest(f"study.db belongs to another search: its '{key}' is {json.dumps(known)}; "
                             "expected another --out", FOLDER)
        study.set_user_attr(key, value)
    return study
