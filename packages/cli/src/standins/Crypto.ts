/**
 * Only for the bundle, in place of `node:crypto` for the file system, which names temporary folders by it: Node's cryptography takes as long
 * to load as a third of Node itself, and is loaded here when it is first used.
 */
import type * as Crypto from "node:crypto"

export const randomBytes = (size: number): Buffer => crypto().randomBytes(size)

const crypto = (): typeof Crypto => process.getBuiltinModule("node:crypto")
