import type { Pod } from "@rollcall/api"
import type { Keyring } from "./Keyring.ts"

/** The port to the plugins that have credentials for registries: `--image-credential-provider-config`. */
export interface CredentialProviders {
  /**
   * Asks the plugins that serve a repository for what a pod pulls with. `done` is called once, within the call or later; a plugin that
   * fails gives nothing.
   */
  readonly provide: (repository: string, pod: Pod, done: (keyring: Keyring) => void) => void
}
