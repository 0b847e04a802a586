"""The result class that evaluator files return: metrics, and artifacts for the next prompt."""
from dataclasses import dataclass, field


@dataclass
class EvaluationResult:
    metrics: dict = field(default_factory=dict)
    artifacts: dict = field(default_factory=dict)

    @classmethod
    def from_dict(cls, metrics):
        return cls(metrics=metrics)

    def to_dict(self):
        return self.metrics

    def has_artifacts(self):
        return bool(self.artifacts)

    def get_artifact_keys(self):
        return list(self.artifacts)

    def get_artifact_size(self, key):
        value = self.artifacts.get(key, "")
        return len(value) if isinstance(value, bytes) else len(str(value).encode("utf-8"))

    def get_total_artifact_size(self):
        return sum(self.get_artifact_size(key) for key in self.artifacts)
