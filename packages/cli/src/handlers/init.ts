/** `levain init DIR`: a small agent project, which runs and is tested at once. */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { Failed, UsageError } from "../Ending.ts"
import * as Template from "../pure/Template.ts"

export const init = Effect.fnUntraced(function*({ folder }: { readonly folder: string }) {
  yield* write(folder).pipe(
    Effect.catchTag(
      "PlatformError",
      ({ message }) => new Failed({ message: `the project cannot be written: ${message}` })
    )
  )
  for (const line of Template.next(folder)) yield* Console.log(line)
})

const write = Effect.fnUntraced(function*(folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const found = (yield* fs.exists(folder)) ? yield* fs.readDirectory(folder) : []
  if (found.length > 0) return yield* new UsageError({ message: `${folder} is not empty: name a new folder.` })
  yield* fs.makeDirectory(folder, { recursive: true })
  const name = path.basename(path.resolve(folder))
  for (const [file, text] of Object.entries(Template.files(name))) {
    yield* fs.writeFileString(path.join(folder, file), text)
  }
})
