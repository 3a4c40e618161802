/** empty: an agent that cannot be run. */
export const nothing = 1
