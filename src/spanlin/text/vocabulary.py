"""The words that the rules know by name; all in lower case unless case makes a difference."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# The next word belongs to these: a name, a number or an example follows.
LEADING_ABBREVIATIONS = _words("""
    adj adm amb approx asst attys benj brig ca capt cdr cf chas cmdr col comdr cpl dr e.g edw eg esp fr ft gen gov hon
    i.e ie insp jas jno lt ltc maj messrs mlle mme mmes mr mrs ms msgr mt mx pfc pres prof pvt rep reps rev robt sen
    sens sgt st ste supt thos viz vs wm
""")
# Abbreviations before a number, as in "No. 5"; otherwise words before a full stop.
NUMBERED_ABBREVIATIONS = _words("""
    app apt art arts ch chap chs ed eds eq eqs ex exs fig figs n nn no nos nr op p par pp pt sec secs sect ver vol vols
""")
# These keep their full stop, and may end a sentence with it.
TRAILING_ABBREVIATIONS = _words("""
    acad al assn assoc aug ave avg bldg blvd bros calif cir co colo comps conn corp dec dept dist div dj encl etc feb
    fla govt hr hrs hwy ibid inc incl intl jan jr kan ky lb lbs ltd mfg mich mil minn mins misc mos neb nev nov oct
    okla orig oz pct penn pg plc proc rd refrig repr resp rm rtd rte sept sq sr tbsp tel tenn thu thurs tsp tue tues
    univ va vt wis yr yrs
""")
# The same, but words too: abbreviations if they have a capital and the sentence continues.
AMBIGUOUS_ABBREVIATIONS = _words("""
    abs ariz comp ct del est ext fri ga geo hum id ill ind inst jul jun la mar mass max md me mi min miss mo mon nat ok
    ore pa pl pub rel sat sci sep soc sun supp temp tex wash wed
""")
# Of these and of those before numbers, abbreviations in lower case too, unless a capital follows: "5 min. walk".
SHORTENED_WORDS = _words("comp ed eds est ext max min supp temp")
# A capital after an abbreviation is a name more often than a new sentence, unless it is one of these.
SENTENCE_STARTERS = _words("""
    A About After All Also Although An And Another Any Are Aren't As At Because Before Both But By Can Can't Could
    Couldn't Despite Did Didn't Do Does Doesn't Don't During Each Even Every Few Finally First For From Further
    Furthermore Had Has Have He He'd He'll He's Hence Her Here Here's His How How's However If In Indeed Instead Is
    Isn't It It'll It's Its Last Later Let Let's Many Maybe Meanwhile Moreover Most My Nevertheless No Nor Not Nothing
    Now Of Often Oh Okay On Once One Only Or Other Others Our Over Perhaps Please Several She She'd She'll She's Should
    Since So Some Sometimes Soon Still Such That That'll That's The Their Then There There's Therefore These They They'd
    They'll They're They've This Those Though Through Thus To Today Under Unlike Until Up Was Wasn't We We'd We'll We're
    We've Well Were Weren't What What's When Where Where's Whether Which While Who Who's Why Will With Within Without
    Won't Would Wouldn't Yeah Yes Yet You You'd You'll You're You've Your
""")
FIRST_PERSON = _words("I I'd I'll I'm I've I’d I’ll I’m I’ve")
# The affixes that stay with their word when hyphenated words are split, as in the newer treebanks.
HYPHEN_PREFIXES = _words("""
    ante anti arch bi bio co counter cross cyber de e ex extra hyper infra inter intra macro mega meta micro mid mini
    mis multi non over peri post pre pro proto pseudo psycho re semi socio sub super tri u ultra un uni vice
""")
HYPHEN_SUFFIXES = _words("esque ette fest fold itis wise")
HYPHENATED_WORDS = _words("hm-m ho-ho m-hm m-m m-mm mm-hm mm-hmm mm-mm nuh-uh oh-ho uh-huh uh-oh uh-uh unh-unh")
# Words that lost their beginning, after an apostrophe.
CLIPPED_WORDS = _words("bout cause cept coz cuz em kay n neath nother nt pon round scuse til till tis twas twere twill")
# What is written as one word but split, here with a bar where it is cut.
_FUSED_WORDS = _words("""
    can|not gim|me gon|na got|ta kind|a lem|me lot|ta ought|a out|ta sort|a wan|na
    y'|all d'|you d'|ya 't|is 't|was 't|were 't|will
    are|nt ca|nt could|nt did|nt does|nt do|nt had|nt has|nt have|nt is|nt should|nt was|nt were|nt wo|nt would|nt
    that|s there|s they|ll they|re they|ve what|s you|ll you|re you|ve
""")
FUSED_WORDS = {word.replace("|", ""): word.index("|") for word in _FUSED_WORDS}
# Units that are cut off the number before them.
UNITS = _words("""
    a.m. am cm dl ft g gb ghz hr hrs hz kb kg khz km kph kw lb lbs m mb mg mhz min mins ml mm mph ms oz p.m. pm
""")
TOP_LEVEL_DOMAINS = _words("""
    ac ai app at au be biz blog br ca ch cn co com cz de dev dk edu es eu fi fr gov gr hu ie il in info int io it jp kr
    me mil mx name net nl no nz online org pl pt ro ru se site tech tv uk us za
""")
