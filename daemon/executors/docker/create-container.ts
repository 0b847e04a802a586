import type Docker from 'dockerode';

/** By the body alone: dockerode puts the whole request into the address as well, which engines log and limit in length. */
export function createContainer(docker: Docker, { name, ...body }: Docker.ContainerCreateOptions): Promise<Docker.Container> {
  const request = { _query: name === undefined ? {} : { name }, _body: body };
  return docker.createContainer(request as Docker.ContainerCreateOptions);
}
