/** The English words that the offline model knows: numbers, days, foods, and the words that name neither an item nor a day. */
import { type Day, days } from "./Hours.ts"
import { distance } from "./Spelling.ts"

const listed = (words: string): ReadonlyArray<string> => words.trim().split(/\s+/)

/** Number words that add up: `twenty four`, `a hundred and twenty`. */
export const numbers: ReadonlyMap<string, number> = new Map([
  ...listed(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
  )
    .map((word, n) => [word, n] as const),
  ...listed("twenty thirty forty fifty sixty seventy eighty ninety").map((word, n) => [word, (n + 2) * 10] as const),
  ["fourty", 40],
  ["a", 1],
  ["an", 1],
  ["couple", 2],
  ["pair", 2]
])

/** Words that multiply the number before them, or stand for themselves. */
export const multiples: ReadonlyMap<string, number> = new Map([["dozen", 12], ["dozens", 12], ["hundred", 100], [
  "thousand",
  1000
]])

/** Ones that may open a number or only a noun. */
export const articles: ReadonlySet<string> = new Set(["a", "an"])

/** What is baked or sold beside it. One of these makes a phrase an item, whether or not the bakery has it. */
export const foods: ReadonlySet<string> = new Set(listed(`
  roll rolls bun buns loaf loaves bread breads croissant croissants bagel bagels baguette baguettes muffin muffins cake cakes cupcake
  cupcakes cookie cookies biscuit biscuits scone scones donut donuts doughnut doughnuts pie pies tart tarts pastry pastries danish
  danishes brioche brioches focaccia ciabatta pretzel pretzels brownie brownies sourdough sourdoughs rye cinnamon pita pitas naan
  tortilla tortillas sandwich sandwiches quiche quiches eclair eclairs éclair éclairs macaron macarons macaroon macaroons strudel
  challah panini cheesecake cheesecakes gingerbread shortbread pizza pizzas coffee coffees tea milk juice latte cappuccino espresso
  jam butter flapjack flapjacks waffle waffles pancake pancakes stollen panettone babka pumpernickel wholemeal spelt toast turnover
  turnovers crumpet crumpets pudding puddings crackers granola flour yeast meringue meringues sundae sundaes
`))

/** Words that say something of an item without naming another: left out of its name. */
export const asides: ReadonlySet<string> = new Set(listed(`
  fresh freshly baked large small big little nice good lovely warm hot whole sliced delicious extra more other another your own the
  those these this that please just only also additional further plain usual regular
`))

/** What the bakery's data does not tell of an item. */
export const traits: ReadonlySet<string> = new Set(listed(`
  vegan vegetarian kosher halal organic gluten-free glutenfree dairy-free nut-free sugar-free lactose-free egg-free allergens calories
  ingredients homemade handmade
`))

/** Words whose object is an item even when no list names it: `do you sell pretzel sticks`. */
export const triggers: ReadonlySet<string> = new Set(listed(`
  any some sell sells have has bake bakes make makes got stock carry order ordering ordered buy buying want need get offer serve reserve
  price cost costs
`))

/** Things that are counted and are no item: `for 20 people`, `in 3 days`. */
export const uncounted: ReadonlySet<string> = new Set(listed(`
  people person persons guests guest kids kid children child students student friends friend colleagues adults ladies
  day days hour hours hr hrs minute minutes min mins week weeks month months year years dollar dollars cent cents bucks euro euros usd
  time times order orders question questions thing things item items piece pieces pcs way ways percent o'clock oclock am pm
  box boxes bag bags batch batches
`))

/** English that is neither item, number nor day. It ends a phrase. */
export const plain: ReadonlySet<string> = new Set(listed(`
  any some i i'd i'll i'm i've me my mine we we'd we'll we're us our you you'd you'll you're he she it it's its they them their who whom whose
  what what's whats which when when's where where's why how how's is isn't are aren't was were be been being am do does did don't
  doesn't didn't can can't could couldn't will won't would wouldn't should shall may might must let let's have has had haven't if
  or and but nor so as than then though because while until till unless since about above across after against along among
  around at before behind below beside between by down during except for from in into near off on onto out outside over past per
  through to toward under up upon with within without not no yes yeah yep ok okay hi hello hey dear thanks thank cheers greetings
  morning afternoon evening night noon midday midnight today today's tonight tomorrow tomorrow's yesterday now soon later early
  earlier earliest late latest next last first week weekend weekends weekday weekdays day days daily every each all both either neither
  none there here else ever never always usually still already yet again too very much many few lot lots bit such same different
  enough less least most open opens opened opening close closes closed closing shut hours hour time times pick picks picked picking
  pickup pick-up collect collected collecting collection come comes coming came drop stop stopping swing go going leave left ready
  available availability possible sure know tell say ask asking wondering wonder think like love hope help sorry
  sell sells selling have having bake bakes baking baker bakery baker's bakers make makes making stock carry order orders ordering ordered preorder
  pre-order buy buying want wants wanted need needs needed get gets getting got give take taking offer offers serve serves reserve put place
  keep hold set aside save purchase
  price prices pricing cost costs costing charge charges total altogether together pay paying payment cash card cards cheap expensive discount
  menu list range selection kind kinds sort sorts type types stuff product products goods things thing anything something
  everything nothing item items food notice advance ahead lead minimum maximum
  birthday party parties wedding weddings anniversary event events meeting meetings office school church picnic brunch breakfast lunch
  dinner family daughter daughter's son son's wife husband mother mother's mom mom's mum mum's father dad dad's sister brother friend
  friends boss team colleagues grandmother grandma neighbor neighbour customer customers guests people person kids children name called
  phone number email address street parking website delivery deliver delivered delivering ship shipping gift box boxes bag bags
  allergy allergies allergen allergens nut nuts-free staff manager job jobs hiring question questions answer advice
  table wifi bathroom toilet directions catering cat cats dog dogs freeze keep option options deal deals egg eggs allergic
  contain contains starter great perfect chance luck trouble problem fine big quick quickly fast asap urgent correct right wrong true really actually maybe perhaps probably
  public holiday holidays christmas easter new year
  monthly weekly regularly often one ones two's us's ago from's i'm there's that's who's
  quote estimate invoice receipt refund cancel cancelled change changed changing confirm confirmed booked book booking
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
