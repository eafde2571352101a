import { homedir } from "node:os"

/** Returns the user's home folder; empty if there is neither HOME nor an entry in the user database. */
export const homeFolderOfUser = (): string => {
  try {
    return homedir()
  } catch {
    return ""
  }
}
