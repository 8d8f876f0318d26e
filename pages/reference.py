"""Reference: every part of the app by the question that it answers, and a glossary."""

from explorer.exhibits.reference import every_question, explained_terms
from explorer.i18n import _
from explorer.ui import document

document.opening(
    _("Reference"),
    _("Everything that can be seen here, by the question that it answers."),
    _("Each question opens its page with the model on screen. Type a term to find what explains it."),
)
document.parts({every_question: _("Questions"), explained_terms: _("Glossary")})
