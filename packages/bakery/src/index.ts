/** The public names of `@levain/bakery`, a module each. */
export * as Bakery from "./Bakery.ts"
export * as BakeryAgent from "./BakeryAgent.ts"
export * as BakeryTools from "./BakeryTools.ts"
export * as OfflineModel from "./OfflineModel.ts"
export * as Orders from "./Orders.ts"
export * as Hours from "./pure/Hours.ts"
export * as Menu from "./pure/Menu.ts"
export * as Order from "./pure/Order.ts"
