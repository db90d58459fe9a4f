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
    answer = _encode_json(value) if _run.is_open else None
    # Code of the guest may have made that text.
    if _run.is_open:
        _run.answered(answer)
        if _bridge.final_answer is not None:
            _bridge.final_answer(answer)
    elif _run.answer is None:
        _run.check()
    raise FinalAnswerException(value)


__smolagents_final_answer.__name__ = __smolagents_final_answer.__qualname__ = "final_answer"
