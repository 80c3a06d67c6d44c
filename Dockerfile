# The App as one static binary. State lives in /data (SQLite).
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG RELEASE=""
RUN go build -trimpath -tags netgo,osusergo \
      -ldflags "-linkmode external -extldflags -static -s -w -X main.release=${RELEASE}" \
      -o /out/tilegate ./cmd/tilegate \
 && mkdir -p /out/data /out/tmp

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build --chown=65532:65532 /out/data /data
COPY --from=build --chown=65532:65532 /out/tmp /tmp
COPY --from=build /out/tilegate /tilegate
USER 65532:65532
VOLUME /data
ENV TILEGATE_DATABASE_URL=sqlite:/data/tilegate.db TILEGATE_LISTEN=:8080
EXPOSE 8080
ENTRYPOINT ["/tilegate"]
CMD ["serve"]
