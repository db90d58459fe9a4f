# Figures of matplotlib

# The tool that takes pictures. The host provides it to sessions with packages.
_PICTURE_TOOL = "__smolagents_picture__"
_MAX_FIGURES = 100
_environ.setdefault("MPLBACKEND", "agg")
_environ.setdefault("MPLCONFIGDIR", "/tmp/matplotlib")


class _Pictures:
    take = None


def _take_figures(*_, **__):
    """Sends the host a picture of each open figure, and closes the figures."""
    pyplot = _modules.get("matplotlib.pyplot")
    if pyplot is None or _Pictures.take is None:
        return
    try:
        numbers = pyplot.get_fignums()
        for number in numbers[:_MAX_FIGURES]:
            picture = io.BytesIO()
            pyplot.figure(number).savefig(picture, format="png", bbox_inches="tight")
            _Pictures.take(picture.getvalue())
        if len(numbers) > _MAX_FIGURES:
            _streams[1].write(f"{len(numbers) - _MAX_FIGURES} figures were left out\n")
        pyplot.close("all")
    except Exception as error:
        _streams[1].write(f"a figure could not be drawn: {_error_text(error)}\n")


def _prepare_pyplot():
    """Makes `show` send the figures to the host, because there is no window."""
    pyplot = _modules.get("matplotlib.pyplot")
    if pyplot is not None and _Pictures.take is not None and getattr(pyplot, "show", None) is not _take_figures:
        pyplot.show = _take_figures
