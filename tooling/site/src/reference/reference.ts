import type { Generated } from "../navigation.ts"
import type { Group } from "../Site.ts"
import { configurationPages } from "./configuration.ts"
import { kindPages } from "./kinds.ts"
import { packagePages } from "./packages.ts"
import { programPages } from "./programs.ts"

/** Makes the pages of the reference from the code. */
export const makeReference = async (root: string): Promise<Readonly<Record<Generated, Group>>> => ({
  programs: await programPages(),
  files: configurationPages(),
  kinds: kindPages(),
  packages: packagePages(root)
})
