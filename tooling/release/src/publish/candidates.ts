import { execFile, execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { promisify } from "node:util"
import { type PackedPackage, publishedFolders } from "@rollcall/house/packages"
import type { Candidate, Manifest } from "./releaseProblems.ts"

export interface PackedCandidate extends Candidate {
  readonly tarball: string
}

const readText = (path: string): string => (existsSync(path) ? readFileSync(path, "utf8") : "")

/** The packed packages of the workspace, those on lower floors first: npm never has one whose dependencies it lacks. */
export const candidatesOf = (root: string, packed: ReadonlyArray<PackedPackage>): ReadonlyArray<PackedCandidate> => {
  const tarballs = new Map(packed.map(({ name, tarball }) => [name, tarball]))
  return publishedFolders(root)
    .map((path) => {
      const source: {
        readonly name: string
        readonly rollcall?: { readonly floor?: number }
      } = JSON.parse(readFileSync(join(path, "package.json"), "utf8"))
      const tarball = tarballs.get(source.name) ?? ""
      const tar = (...args: ReadonlyArray<string>) => execFileSync("tar", args, { encoding: "utf8" })
      return {
        floor: source.rollcall?.floor ?? 0,
        tarball,
        folder: relative(root, path),
        packed: JSON.parse(tar("-xzOf", tarball, "package/package.json")) as Manifest,
        files: tar("-tzf", tarball)
          .split("\n")
          .map((file) => file.replace(/^package\//, "")),
        changelog: readText(join(path, "CHANGELOG.md"))
      }
    })
    .sort((left, right) => left.floor - right.floor)
}

/** Publishes a tarball, or says with `dryRun` what npm would do. Throws with npm's words. */
export const publish = async ({ tarball }: PackedCandidate, dryRun: boolean): Promise<void> => {
  // Only a machine of GitHub can state where a package was built.
  const { GITHUB_ACTIONS: onGithub } = process.env
  const how = dryRun ? ["--dry-run"] : [`--provenance=${onGithub === "true"}`]
  await promisify(execFile)("npm", ["publish", tarball, "--access", "public", ...how])
}

/** Whether npm has this version already. */
export const isPublished = async ({ packed: { name, version } }: PackedCandidate): Promise<boolean> => {
  try {
    const { stdout } = await promisify(execFile)("npm", ["view", `${name}@${version}`, "version"])
    return stdout.trim() === version
  } catch (error) {
    if (`${(error as { readonly stderr?: string }).stderr}`.includes("E404")) return false
    throw error
  }
}
