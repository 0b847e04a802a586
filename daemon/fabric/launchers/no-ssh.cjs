// Stands in for dockerode's ssh and gRPC transports, which Peagen never uses.
module.exports = new Proxy(
  {},
  {
    get() {
      return class {
        constructor() {
          throw new Error('This build has no ssh transport for Docker.');
        }
      };
    },
  },
);
