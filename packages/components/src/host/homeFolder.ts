import { homedir } from "node:os"

/** The user's home folder; empty for a user who has none: neither HOME nor an entry in the user database. */
export const homeFolderOfUser = (): string => {
  try {
    return homedir()
  } catch {
    return ""
  }
}
