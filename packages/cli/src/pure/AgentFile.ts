/** Whether `--agent` names an agent of the command's own, or a file. */

/** A name with a dot or a slash in it is a file's. */
export const isFile = (name: string): boolean => /[./\\]/.test(name)

/** Whether one of the command's arguments names a file. */
export const namesFile = (args: ReadonlyArray<string>): boolean =>
  args.some((arg, i) =>
    arg.startsWith("--agent=") ? isFile(arg.slice("--agent=".length)) : args[i - 1] === "--agent" && isFile(arg)
  )
