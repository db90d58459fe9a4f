# Final answers


class FinalAnswerException(BaseException):
    """Ends a run with its final answer. Not an `Exception`, so `except Exception` does not catch it."""

    def __init__(self, value=None):
        super().__init__(value)
        self.value = value


def __smolagents_final_answer(value=None, **kwargs):
    """The final answer: `final_answer(value)` or `final_answer(answer=value)`."""
    if kwargs:
        value = kwargs["answer"] if "answer" in kwargs else next(iter(kwargs.values()))
    # The first answer counts, with the value that it has at this moment. Nothing that the code does later changes it.
    answer = _encode_json(value) if _run.is_open else None
    # Guest code may have run while the value was encoded.
    if _run.is_open:
        _run.answered(answer)
        if _bridge.final_answer is not None:
            _bridge.final_answer(answer)
    elif _run.answer is None:
        _run.check()
    raise FinalAnswerException(value)


__smolagents_final_answer.__name__ = __smolagents_final_answer.__qualname__ = "final_answer"
