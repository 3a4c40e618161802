/** The English words that the offline model knows: numbers, days, foods, and the words that name neither an item nor a day. */
import { type Day, days } from "./Hours.ts"
import { distance, isSlipOf } from "./Spelling.ts"

const listed = (words: string): ReadonlyArray<string> => words.trim().split(/\s+/)

/** Number words that add up: `twenty four`, `a hundred and twenty`. */
export const numbers: ReadonlyMap<string, number> = new Map([
  ...listed(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
  )
    .map((word, n) => [word, n] as const),
  ...listed("twenty thirty forty fifty sixty seventy eighty ninety").map((word, n) => [word, (n + 2) * 10] as const),
  ["fourty", 40],
  ["couple", 2],
  ["pair", 2]
])

/** Words that multiply the number before them, or stand for themselves. In the plural and alone they say no number. */
export const multiples: ReadonlyMap<string, number> = new Map(
  ([["dozen", 12], ["bakers-dozen", 13], ["score", 20], ["gross", 144], ["hundred", 100], ["thousand", 1000], [
    "million",
    1_000_000
  ]] as const)
    .flatMap(([word, n]) => [[word, n], [`${word}s`, n]] as const)
)

/** Parts of one, or of the dozen that follows. */
export const parts: ReadonlyMap<string, number> = new Map([
  ["half", 1 / 2],
  ["quarter", 1 / 4],
  ["quarters", 1 / 4],
  ["third", 1 / 3],
  ["thirds", 1 / 3]
])

/** An amount that nobody can price. */
export const vague: ReadonlySet<string> = new Set(listed("few several handful loads tons plenty bunch"))

/** What items are put into: how many it holds is not said. */
export const containers: ReadonlySet<string> = new Set(listed(`
  bag bags box boxes pack packs packet packets package packages pkg pkgs tray trays batch batches basket baskets case cases crate
  crates carton cartons sack sacks tub tubs platter platters
`))

/** Words for single ones, which change no amount. */
export const pieces: ReadonlySet<string> = new Set(listed("piece pieces pc pcs unit units ea count ct ish"))

/** Who a share may be for. */
export const people: ReadonlySet<string> = new Set(listed(`
  people person persons guest guests kid kids child children student students friend friends colleague colleagues adult adults
  lady ladies family families household households table tables customer customers employee employees team teams class classes
  teacher teachers man men woman women boy boys girl girls neighbor neighbors neighbour neighbours player players worker workers
  visitor visitors ppl pax head heads member members attendee attendees couple couples group groups
`))

/** Ones that may open a number or only a noun. */
export const articles: ReadonlySet<string> = new Set(["a", "an"])

/** What a bakery bakes. */
const baked: ReadonlyArray<string> = listed(`
  roll rolls bun buns loaf loaves bread breads croissant croissants bagel bagels baguette baguettes muffin muffins cake cakes cupcake
  cupcakes cookie cookies biscuit biscuits scone scones donut donuts doughnut doughnuts pie pies tart tarts pastry pastries danish
  danishes brioche brioches focaccia ciabatta pretzel pretzels brownie brownies sourdough sourdoughs rye cinnamon pita pitas naan
  tortilla tortillas sandwich sandwiches quiche quiches eclair eclairs éclair éclairs macaron macarons macaroon macaroons strudel
  challah panini cheesecake cheesecakes gingerbread shortbread pizza pizzas flapjack flapjacks waffle waffles pancake pancakes stollen
  panettone babka pumpernickel turnover turnovers crumpet crumpets pudding puddings meringue meringues ryes
`)

/** What is sold beside it, and what an item is made with or named for. */
const flavours: ReadonlyArray<string> = listed(`
  coffee coffees tea milk juice latte cappuccino espresso jam butter wholemeal spelt toast crackers granola flour yeast sundae sundaes
  chocolate banana pumpkin olive garlic raisin corn walnut pecan almond blueberry apple cherry lemon cheese vanilla caramel raspberry
  strawberry carrot ginger potato onion maple honey oat seeded multigrain
`)

/** One of these makes a phrase an item, whether or not the bakery has it. */
export const foods: ReadonlySet<string> = new Set([...baked, ...flavours])

/** Whether a word names a food, a slip of spelling forgiven in what is baked. */
export const isFood = (word: string): boolean =>
  word.split("-").some((part) =>
    foods.has(part) ||
    (part.length >= 4 && !plain.has(part) && !topics.has(part) &&
      baked.some((food) => food.length >= 4 && isSlipOf(part, food)))
  )

/** What an item may be made with: named alone it is a question about what is inside, unless it is bought. */
export const ingredients: ReadonlySet<string> = new Set(listed(`
  milk butter egg eggs flour yeast wheat sesame seed seeds lactose gluten nut nuts peanut peanuts almond almonds walnut walnuts hazelnut
  hazelnuts raisin raisins sugar honey salt oil lard soy dairy cream cheese spelt cinnamon preservatives additives margarine
`))

/** What makes even an ingredient something to buy. */
export const selling: ReadonlySet<string> = new Set(listed("sell sells selling stock carry order buy"))

/** Words that begin a phrase of their own. */
export const determiners: ReadonlySet<string> = new Set(listed("the your those these this that our my"))

/** Words that say something of an item without naming another: left out of its name. */
export const asides: ReadonlySet<string> = new Set(listed(`
  fresh freshly baked nice good lovely whole delicious tasty yummy favorite favourite extra more other another own please just
  only also additional further plain usual regular famous amazing wonderful
`))

/** What the bakery's data does not tell of an item, left out of its name and told of. */
export const traits: ReadonlySet<string> = new Set(listed(`
  vegan vegetarian kosher halal organic gluten-free glutenfree dairy-free nut-free sugar-free lactose-free egg-free allergens
  calories ingredients homemade handmade large larger small smaller big bigger mini tiny giant jumbo sliced unsliced warm hot cold
  frozen toasted wrapped decorated leftover
`))

/** Words whose object is an item even when no list names it: `do you sell pretzel sticks`. */
export const triggers: ReadonlySet<string> = new Set(listed(`
  any some sell sells have has bake bakes make makes got stock carry order ordering ordered buy buying want need get offer serve reserve
`))

/** Things that are counted and are no item: `for 20 people`, `in 3 days`. */
export const uncounted: ReadonlySet<string> = new Set(listed(`
  day days hour hours hr hrs minute minutes min mins week weeks month months year years dollar dollars cent cents bucks euro euros usd
  time times order orders question questions thing things item items piece pieces pcs way ways percent o'clock oclock am pm
  minus degrees miles mile km blocks block bit lot while moment second seconds
`))

/** English that is neither item, number nor day. It ends a phrase. */
export const plain: ReadonlySet<string> = new Set(listed(`
  happen happened him her difference doable mix mixed assorted assortment supply
  made of a an any some i i'd i'll i'm i've me my mine we we'd we'll we're us our you you'd you'll you're he she it it's its they
  them their who whom whose what what's whats which when when's where where's why how how's is isn't are aren't was were be been
  being am do does did don't doesn't didn't can can't could couldn't will won't would wouldn't should shall may might must let
  let's have has had haven't if or and but nor so as than then though because while until till unless since about above across
  after against along among around at before behind below beside between by down during except for from in into near off on onto
  out outside over past per through to toward under up upon with within without not no yes yeah yep ok okay hi hello hey dear
  thanks thank cheers greetings morning afternoon evening night noon midday midnight today today's tonight tomorrow tomorrow's
  yesterday now soon later early earlier earliest late latest next last first week weekend weekends weekday weekdays day days
  daily every each all both either neither none there here else ever never always usually still already yet again too very much
  many few lot lots bit such same different enough less least most open opens opened opening close closes closed closing shut
  hours hour time times pick picks picked picking pickup pick-up collect collected collecting collection come comes coming came
  drop stop stopping swing go going leave left ready available availability possible sure know tell say ask asking wondering
  wonder think like love hope help sorry sell sells selling having bake bakes baking baker bakery baker's bakers make makes making
  stock carry order orders ordering ordered preorder pre-order buy buying want wants wanted need needs needed get gets getting got
  give take taking offer offers serve serves reserve put place hold set aside save purchase price prices pricing cost costs
  costing charge charges total altogether together expensive cheapest priciest menu list range selection kind kinds sort sorts
  type types stuff product products goods things thing anything something everything nothing item items food notice advance ahead
  lead minimum maximum birthday party parties wedding weddings anniversary event events meeting meetings office school church
  picnic brunch breakfast lunch dinner family daughter daughter's son son's wife husband mother mother's mom mom's mum mum's
  father dad dad's sister brother friend friends boss team colleagues grandmother grandma neighbor neighbour customer customers
  guests people person kids children name called number question questions answer advice cat cats dog dogs option options deal
  deals great perfect chance luck trouble problem fine big quick quickly fast asap urgent correct right wrong true really actually
  maybe perhaps probably public holiday holidays christmas easter new year monthly weekly regularly often one ones two's us's ago
  from's there's that's who's quote estimate change changed changing confirm confirmed booked book booking grab grabbing fetch
  bring bringing feed feeding host hosting celebrate celebrating throw throwing crowd send sent work works working please look
  looking see hear heard seen read use used try trying tried start starting finish end begin plan planning planned eat eats eating
  ate live run running back home house door town local folks yours theirs his hers im ive id dont cant wont isnt hows lets youre
  thats theres these those this that the your says said mean means meant wait kindly wish wishing hoping hoped guess figure
  figured suppose min max exactly roughly approximately approx circa ish whatever whichever whoever anyone someone everyone nobody
  somebody anybody old young day's month months january february march april june july august september october november december
  dec jan feb mr mrs ms sir madam regards sincerely best truly bye goodbye money able unable allowed far short long way ways
  order's minute minutes mar apr jun jul aug sep sept oct nov eve year's thanksgiving following straight via re better worse worst
  care case cases leaves leaf load loads loan break broke role roles rule rules floor stone stones starts core cord tears brings
  check checking whether curious interested happy glad meet meets find found call calls calling email text write writing reply
  respond speak talk show shows watch walk drive driving parked arrive arriving arrives tasted amazing wonderful remember forgot
  forget believe understand wrote told roundabout also lately recently currently presently normally typically generally sometimes
  rarely hand hands person's plus minus add added adding totals sum subtotal bill half full empty single double pair sets rest
  instead cheap cheaper pricier onwards onward mornings afternoons evenings nights corporate hopefully ideally definitely
  certainly remaining sold outta gonna gotta kinda lemme dunno idk btw fyi tbh lol omg ty thx np yo sup dozen piece pieces apiece
  head share shared split loafs price's cost's priced
`))

/** What a customer may ask about and the bakery's data does not tell. */
export const topics: ReadonlySet<string> = new Set(listed(`
  deliver delivers delivery deliveries delivered delivering ship ships shipping shipped courier mail post pay paying payment
  payments cash card cards visa paypal venmo cheque check tip discount discounts coupon coupons voucher vouchers wholesale bulk
  invoice invoices receipt refund refunds cancel cancellation deposit gift gifts phone telephone email address street located
  location directions parking park website instagram facebook wifi toilet toilets bathroom restroom seating seats sit table tables
  catering cater wheelchair stairs staff manager owner job jobs hiring hire internship freeze freezing frozen keep keeps reheat
  reheating shelf store stored storage slice slices slicing sliced cut wrap wrapping packaging decorate heavy weigh weighs weight
  gram grams kilo kilos ounces size sizes diameter width height large big recipe recipes starter homemade nutrition calories carbs
  protein allergy allergies allergen allergens allergic intolerance intolerant celiac coeliac contain contains containing
  ingredient ingredients sample samples taste custom customize personalise personalize engrave message tour class classes workshop
  workshops franchise free online recommend recommendation recommendations special specials stale fresher freshest crusty soft
  crunchy sweet salty healthy
`))

/** Common words of other languages that are no English ones. */
export const foreign: ReadonlySet<string> = new Set(listed(`
  haben sie ich wir ist und der das ein eine einen bitte wann für gibt wie viel kostet möchte hallo guten danke brot roggenbrot brötchen
  el los las una unos que qué tienen tiene para por favor hola cuándo cuánto cuesta quiero quisiera necesito pan panecillos buenos gracias
  le les une vous avez bonjour pour je voudrais combien coûte est-ce quand ouvert merci s'il oui pains du et ou
  ciao vorrei avete il gli di quanto costa quando grazie buongiorno pane favore siete aperti
  você tem quero gostaria olá obrigado pão heeft jullie ik het een graag goedemorgen wil brood czy macie jest hej har ni jag vill
  montag dienstag mittwoch donnerstag freitag samstag sonntag lunes martes miércoles jueves viernes sábado domingo lundi mardi mercredi
  jeudi vendredi samedi dimanche lunedì martedì mercoledì giovedì venerdì sabato domenica
`))

/** What a day may be named for: the roast is on Sunday, and what is wanted for it may be fetched before. */
export const occasions: ReadonlySet<string> = new Set(listed(`
  roast brunch lunch breakfast dinner party service gathering wedding meeting picnic school birthday barbecue bbq
`))

/** How days are written, plural and short. */
const dayNames: ReadonlyMap<string, Day> = new Map(
  days.flatMap((day) => [day, `${day}s`, `${day}'s`, day.slice(0, 3)].map((name) => [name, day] as const)).concat([
    ["tues", "tuesday"],
    ["weds", "wednesday"],
    ["thur", "thursday"],
    ["thurs", "thursday"]
  ])
)

const notADay = new Set(
  listed("today someday birthday holiday everyday midday weekday payday workday yesterday mayday doomsday noonday")
)

/** The day a word names, misspellings of up to two letters forgiven where it ends in `day`. */
export const dayNamed = (word: string): Day | undefined => {
  const exact = dayNames.get(word)
  if (exact !== undefined) return exact
  const stem = word.replace(/'?s$/, "")
  if (!/^\p{L}{3,}day$/u.test(stem) || notADay.has(stem)) return undefined
  const [nearest, second] = days
    .map((day) => ({ day, away: distance(stem, day) }))
    .toSorted((a, b) => a.away - b.away)
  return nearest !== undefined && nearest.away <= 2 && nearest.away < (second?.away ?? 3) ? nearest.day : undefined
}
