/** What is wrong with what a person wrote, in words: for command lines and files of every kind. Light to load. */

export { didYouMean, formatProblem, InvalidInput, invalid, nearest, type Problem, show } from "./Problem.ts"
export { releaseOfName } from "./release.ts"
export { accept, expected, type Setting, type SettingValues } from "./settings.ts"
