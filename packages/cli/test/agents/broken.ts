/** broken: an agent that cannot be run. */
throw new Error("no luck")
