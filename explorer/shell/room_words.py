"""All that the pages of a room say by themselves, by the names that their scripts use."""

from explorer.i18n import _
from explorer.rooms.room import MOST_PAPER


def words() -> dict[str, str]:
    """Returns the words, and a sentence for each refusal, in the language of the thread."""
    return _of_all() | _of_pictures() | _of_host() | refusals()


def _of_all() -> dict[str, str]:
    return {
        "people": _("{n} here"), "voted": _("{n} of {of} have voted."), "ask": _("Vote alone."),
        "talk": _("Talk to a neighbour for a minute, then vote again."), "new": _("A new case: one vote."),
        "first": _("first vote"), "second": _("second vote"), "one": _("vote"), "your_vote": _("your vote"),
        "your_first": _("your first vote"), "happens": _("what happens"), "because": _("Because …"),
        "look_up": _("Look up."), "open": _("Open the explorer"), "rests": _("The explorer rests until the vote is over."),
        "kept": _("What we did"), "computing": _("The model is computing …"),
        "learning": _("{ready} of {of} models have learned; about {seconds} s more. Recorded ones come in {recorded} s."),
        "learning_one": _("It is learning; about {seconds} s more. A recorded one comes in {recorded} s."),
        "connecting": _("Connecting …"), "lost": _("The host's window is closed. This page goes on when it is back."),
        "yours": _("Yours is the model with seed {n}."), "mine": _("Yours: {setting} {value}, seed {n}."),
        "no_model": _("All {n} models have a phone already: watch the median."),
        "wifi": _("Use the same Wi-Fi as this screen. No names are asked."),
        "unreachable": _(
            "Phones cannot reach this server: it listens on this computer alone, or is in no network. Start it without "
            "--server.address, or set EXPLORER_PUBLIC_ADDRESS. Until then the room votes by raising hands."
        ),
        "say_something": _("a short English sentence"), "look": _("Look"), "send_host": _("Send it to the host"),
        "sent": _("Sent. Another one?"), "sent_count": _("Received: {n}."), "undo": _("Undo the cut"),
        "changed": _("It changed. Try another line."), "changed_nothing": _("Nothing changed: you found one."),
        "finds": _("Lines found that change nothing: {n}."), "source": _("a sentence to learn"),
        "answer": _("what it should answer"), "send": _("Send the pair"),
        "own_word": _("Your word: make it write “{word}”{gloss}. Where should it look?"),
        "it_writes": _("With your look it writes “{word}”."), "the_end": _("the end"),
        "looks_given": _("{n} of {of} words have a look."),
        "quiz_place": _("Question {n} of {of}"), "quiz_done": _("That was all. Thank you."),
        "quiz_count": _("Phones that have answered all {of} questions: {n}."),
        "quiz_right": _("Right before and after, of those who answered twice:"),
    }  # fmt: skip


def _of_pictures() -> dict[str, str]:
    return {
        "stays": _("nothing changed"), "barred": _("no word may look here"), "before": _("before"), "after": _("after the cut"),
        "steps": _("steps"), "rows_right": _("rows right"), "nine": _("nine of ten rows"), "middle": _("median: {n} steps"),
        "its_steps": _("this one: {n} steps"), "first_last": _("first {first}, last {last}"),
        "after_steps": _("after {n} steps"), "untrained": _("before the first step"), "first_model": _("First model"),
        "second_model": _("Second model"), "covered_model": _("Second model, then covered"),
        "is_covered": _("while it learns, what comes is covered"), "is_open": _("while it learns, all is open"),
        "more_steps": _("{right} of {of} rows right so far; now {steps} steps more"),
        "sure": _("sure of the right letter: {share}"), "loss": _("loss {loss}"), "rows_of": _("{n} of {of} new rows right"),
        "pairs": _("{n} pairs: first model blue, second orange"), "letters_right": _("repeated letters right"),
        "of_letters": _("85% of the letters"), "head_before": _("attention on the letter before"),
        "head_after": _("attention on what came after"),
    }  # fmt: skip


def _of_host() -> dict[str, str]:
    return {
        "phase_before": _("Before"), "phase_during": _("Together"), "phase_after": _("After"), "phase_ask": _("Vote alone"),
        "phase_talk": _("Talk, vote again"), "phase_shown": _("What happens"), "phase_new": _("New case"),
        "phase_decided": _("It decides"), "usual": _("What people usually answer"), "expect": _("What to expect"),
        "reasons": _("Reasons they tapped"), "stays_covered": _("Covered here, too, until the vote is over."),
        "last": _("This is the last one. The page to take home stays."), "next_is": _("Next: {what}"), "back": _("Back"),
        "show_now": _("Skip the second vote"), "start_again": _("Start this vote again"),
        "recorded": _("Use recorded models"), "projector": _("Projector's window"), "lock": _("Lock the room"),
        "unlock": _("Unlock the room"), "end": _("End the room"),
        "really": _("End the room for everybody? The page to take home stays for {n} days."),
        "elsewhere": _("Another computer …"), "full_screen": _("Drag it to the projector; there, F fills the screen."),
        "key": _("Open the host's address of this room there, and enter this key: {key}"),
        "unkept": _("The server cannot write to its disk: this room lives in memory, until the server ends."),
        "behind": _("{time} behind"), "ahead": _("{time} ahead"), "of_minutes": _("of {n} min"),
        "agree": _("More than eight of ten agree: you may go on at once."),
        "worth": _("No choice has more than eight of ten: worth a minute of talk."), "hands": _("Raised hands"),
        "enter": _("Enter the counts"), "entered": _("Counted."), "remove": _("Remove"),
        "teach": _("Teach a model the {n} pairs"), "pairs_come": _("Pairs that have come; tick those to be learned"),
        "answers": _("Before and after, as a table (CSV)"),
        "sentences_come": _("Sentences that have come; press one to show it"),
    }  # fmt: skip


def refusals() -> dict[str, str]:
    """Returns a sentence for each name of what the server refuses, and for a server that does not answer."""
    return {
        "full": _("This room is full. You can watch."),
        "locked": _("The host has locked this room. You can watch."),
        "crowded": _("Too many windows show this room. Close one."),
        "over": _("This room is over."),
        "cookies": _("This browser keeps no cookies: its votes cannot be counted."),
        "too fast": _("That was too much at once. Wait a second and press again."),
        "origin": _("This page came from another address. Open the one that the projector shows."),
        "not the host": _("This room is led in another browser."),
        "wrong key": _("This is not the key of the room."),
        "unknown": _("The room no longer knows this phone. Load this page again."),
        "closed": _("This vote is closed. Wait for the next one."),
        "not asked": _("The host does not collect this now."),
        "enough": _("There are enough now."),
        "counts": _("Counts are whole numbers from 0 to {most}.").format(most=MOST_PAPER),
        "no answer": _("The server does not answer. Press again."),
        "nonsense": _("The server did not understand this. Load the page again."),
    }
