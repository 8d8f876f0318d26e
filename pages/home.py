"""Start: a translator at work on one sentence, whose lines can be cut; three ways on; and below, the whole model."""

from explorer.exhibits.home import every_page, first_screen, ways_on

shown = first_screen.draw()
ways_on.draw(shown)
every_page.draw(shown)
