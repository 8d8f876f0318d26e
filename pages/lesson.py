"""Make a lesson: views of other pages become steps, with a note, a question and what is locked; a link, a file or a room."""

from explorer.exhibits.lesson import made_lesson
from explorer.i18n import _
from explorer.ui import document

document.opening(
    _("Make a lesson"),
    _("Views of other pages become steps, each with your note. One link holds them all."),
    _(
        "Open a page, set it as you want it seen, and press **Add this view to a lesson** in the bar. Here each step gets a "
        "note, a question, and what nobody can change. The link, or the file, holds the whole lesson: this server stores "
        "nothing. The same lesson can lead a room of phones, and a page of another site can show it in a frame."
    ),
)
made_lesson.draw()
