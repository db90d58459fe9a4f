# Final answers


class FinalAnswerException(BaseException):
    """Ends a run with its final answer. No `Exception`, so that `except Exception` lets it pass."""

    def __init__(self, value=None):
        super().__init__(value)
        self.value = value


def __smolagents_final_answer(value=None, **kwargs):
    """The final answer: `final_answer(value)` or `final_answer(answer=value)`."""
    if kwargs:
        value = kwargs["answer"] if "answer" in kwargs else next(iter(kwargs.values()))
    # The first answer counts, as it is now: what the code still does changes nothing.
    if _run.answer is None:
        _run.answered(_encode_json(value))
        if _bridge.final_answer is not None:
            _bridge.final_answer(_run.answer[0])
    raise FinalAnswerException(value)


__smolagents_final_answer.__name__ = __smolagents_final_answer.__qualname__ = "final_answer"
