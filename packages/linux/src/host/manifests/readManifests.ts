import { opendirSync, type Stats, statSync } from "node:fs"
import { join } from "node:path"
import type { StaticPodManifest } from "@rollcall/kubelet"
import * as Result from "effect/Result"
import { parseManifest } from "./parseManifest.ts"
import { MAX_MANIFEST_BYTES, readAtMost } from "./readAtMost.ts"

export interface ManifestProblem {
  /** The file, folder or URL. */
  readonly source: string
  readonly message: string
}

/** The static pods of a source, and what could not be read or parsed. */
export interface ManifestReading {
  readonly manifests: ReadonlyArray<StaticPodManifest>
  readonly problems: ReadonlyArray<ManifestProblem>
}

type ManifestOrProblem = StaticPodManifest | ManifestProblem

const problemOf = (source: string, error: unknown): ManifestProblem => ({
  source,
  message: error instanceof Error ? error.message : String(error)
})

const statOf = (path: string): Stats | ManifestProblem => {
  try {
    return statSync(path)
  } catch (error) {
    return problemOf(path, error)
  }
}

const readFile = (path: string): ManifestOrProblem => {
  try {
    return Result.match(parseManifest(readAtMost(path, MAX_MANIFEST_BYTES)), {
      onSuccess: (pod): ManifestOrProblem => ({ source: path, kind: "file", pod }),
      onFailure: (why) => problemOf(path, `couldn't parse as pod(${why}), please check config file`)
    })
  } catch (error) {
    return problemOf(path, error)
  }
}

/** Reads one entry of a folder; a subfolder is a problem, and not descended into. */
const readEntry = (path: string): ManifestOrProblem => {
  const stat = statOf(path)
  if ("message" in stat) return stat
  if (stat.isDirectory()) return problemOf(path, "not recursing into manifest path")
  return stat.isFile() ? readFile(path) : problemOf(path, "manifest path is not a directory or file")
}

const readingOf = (found: ReadonlyArray<ManifestOrProblem>): ManifestReading => ({
  manifests: found.filter((each) => "pod" in each),
  problems: found.filter((each) => "message" in each)
})

/** In byte order, as Go sorts. */
const byName = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** Limit on the names in a folder; a node runs some hundred pods. */
const MAX_NAMES = 10_000

const listNames = (path: string): ReadonlyArray<string> => {
  const names: Array<string> = []
  const folder = opendirSync(path)
  try {
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
      if (names.length === MAX_NAMES) throw new Error(`contains more than ${MAX_NAMES} entries; no manifest is read`)
      names.push(entry.name)
    }
  } finally {
    folder.closeSync()
  }
  return names.filter((name) => !name.startsWith(".")).sort(byName)
}

const readFolder = (path: string): ManifestReading => {
  try {
    return readingOf(listNames(path).map((name) => readEntry(join(path, name))))
  } catch (error) {
    return readingOf([problemOf(path, error)])
  }
}

/**
 * Reads the manifests of a folder, sorted by name, without subfolders and hidden files, or the single manifest of a
 * file. A path that does not exist has none; a manifest of 10 MiB or more is refused.
 * Upstream: pkg/kubelet/config/file.go listConfig.
 */
export const readManifests = (path: string): ManifestReading => {
  const stat = statOf(path)
  if ("message" in stat) {
    return readingOf([
      { source: path, message: /^ENOENT/.test(stat.message) ? "path does not exist, ignoring" : stat.message }
    ])
  }
  if (stat.isDirectory()) return readFolder(path)
  return readingOf([stat.isFile() ? readFile(path) : problemOf(path, "path is not a directory or file")])
}
