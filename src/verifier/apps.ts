import { type App, type RunningApp, startApp } from '../app.js'

/** Starts all applications. If one fails to start, stops the others and throws. */
export async function startApps(apps: readonly App[]): Promise<readonly RunningApp[]> {
  const running: RunningApp[] = []
  try {
    for (const app of apps) running.push(await startApp(app))
  } catch (error) {
    await stopApps(running)
    throw error
  }
  return running
}

/** Stops all applications, even if one of them fails to stop. */
export async function stopApps(apps: readonly RunningApp[]): Promise<void> {
  await Promise.allSettled(apps.map((app) => app.close()))
}
