module github.com/whittle-app/whittle/clients/go

go 1.22
